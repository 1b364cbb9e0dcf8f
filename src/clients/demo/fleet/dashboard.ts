/** A panel without its number. */
type Panel = Readonly<Record<string, unknown>>;

/** Identifiers of the fleet's products. */
export interface FleetProducts {
  coldRoom: string;
  airStation: string;
  waterMeter: string;
  energyMeter: string;
}

const dashboard = (panels: readonly Panel[], variables: readonly object[] = []) => ({
  format: 1,
  range: '7d',
  variables,
  panels: panels.map((panel, index) => ({ id: `p${index + 1}`, ...panel })),
});

/** Temperatures that are too high in a cooler. */
const tooWarm = [
  { from: 8, to: 12, severity: 'warning' },
  { from: 12, severity: 'critical' },
];
const staleAir = [
  { from: 1000, to: 1400, severity: 'warning' },
  { from: 1400, severity: 'critical' },
];

const coldChain = ({ coldRoom: product }: FleetProducts) => {
  const temperature = { product, variable: 'data.temperature', unit: '°C' };
  const battery = { product, variable: 'data.battery', unit: 'V' };
  return dashboard([
    {
      kind: 'figure',
      title: 'Warmest room',
      x: 0,
      y: 0,
      w: 3,
      h: 4,
      source: temperature,
      aggregate: 'max',
      trend: true,
      bands: tooWarm,
    },
    {
      kind: 'figure',
      title: 'Average temperature',
      x: 3,
      y: 0,
      w: 3,
      h: 4,
      source: temperature,
      aggregate: 'avg',
      trend: true,
    },
    {
      kind: 'figure',
      title: 'Weakest battery',
      x: 6,
      y: 0,
      w: 3,
      h: 4,
      source: battery,
      aggregate: 'min',
      trend: true,
    },
    {
      kind: 'text',
      title: 'What to do',
      x: 9,
      y: 0,
      w: 3,
      h: 4,
      text: 'A door that stays open warms a room by 10 °C within an hour. Call the site first.',
    },
    {
      kind: 'series',
      title: 'Temperature of cold rooms',
      x: 0,
      y: 4,
      w: 8,
      h: 8,
      sources: [temperature],
      draw: 'line',
      bands: tooWarm,
    },
    { kind: 'map', title: 'Rooms', x: 8, y: 4, w: 4, h: 8 },
    { kind: 'timeline', title: 'Doors', x: 0, y: 12, w: 8, h: 8, sources: [{ product, variable: 'data.door' }] },
    {
      kind: 'top',
      title: 'Warmest rooms',
      x: 8,
      y: 12,
      w: 4,
      h: 8,
      source: temperature,
      aggregate: 'last',
      order: 'highest',
      size: 8,
    },
    {
      kind: 'table',
      title: 'Newest values',
      x: 0,
      y: 20,
      w: 12,
      h: 10,
      sources: [
        temperature,
        { product, variable: 'data.humidity', unit: '%' },
        battery,
        { product, variable: 'data.door' },
      ],
    },
  ]);
};

const energyPanels = (product: string): Panel[] => {
  const source = { product, variable: 'data.energy', unit: 'kWh' };
  return [
    {
      kind: 'series',
      title: 'Energy of the buildings by day',
      x: 0,
      y: 28,
      w: 8,
      h: 8,
      sources: [source],
      draw: 'bar',
      aggregate: 'increase',
      split: 'site',
      every: 'day',
    },
    { kind: 'figure', title: 'Energy', x: 8, y: 28, w: 4, h: 4, source, aggregate: 'increase', compare: 'previous' },
    {
      kind: 'series',
      title: 'Energy by day, and in the range before',
      x: 0,
      y: 36,
      w: 12,
      h: 8,
      sources: [source],
      draw: 'bar',
      aggregate: 'increase',
      every: 'day',
      compare: 'previous',
    },
    {
      kind: 'top',
      title: 'Energy by building',
      x: 8,
      y: 32,
      w: 4,
      h: 4,
      source,
      aggregate: 'increase',
      split: 'site',
      order: 'highest',
      size: 5,
    },
  ];
};

const buildings = ({ airStation, waterMeter, energyMeter }: FleetProducts) => {
  const co2 = { product: airStation, variable: 'data.co2', unit: 'ppm' };
  const air = { product: airStation, variable: 'data.temperature', unit: '°C' };
  const flow = { product: waterMeter, variable: 'data.flow', unit: 'l/min' };
  const atSite = { tag: '$site', variable: 'data.co2', unit: 'ppm' };
  const byDevice = { terms: { field: 'device.name', size: 10 }, aggs: { flow: { avg: { field: 'data.flow' } } } };
  return dashboard(
    [
      {
        kind: 'figure',
        title: 'Carbon dioxide',
        x: 0,
        y: 0,
        w: 4,
        h: 4,
        source: co2,
        aggregate: 'avg',
        trend: true,
        bands: staleAir,
      },
      { kind: 'figure', title: 'Room temperature', x: 4, y: 0, w: 4, h: 4, source: air, aggregate: 'avg', trend: true },
      { kind: 'figure', title: 'Flow of water', x: 8, y: 0, w: 4, h: 4, source: flow, aggregate: 'avg', trend: true },
      {
        kind: 'series',
        title: 'Carbon dioxide at a site',
        x: 0,
        y: 4,
        w: 8,
        h: 8,
        sources: [atSite],
        draw: 'area',
        bands: staleAir,
      },
      {
        kind: 'top',
        title: 'Stalest air',
        x: 8,
        y: 4,
        w: 4,
        h: 8,
        source: co2,
        aggregate: 'max',
        order: 'highest',
        size: 8,
      },
      {
        kind: 'series',
        title: 'Flow of water',
        x: 0,
        y: 12,
        w: 8,
        h: 8,
        sources: [flow],
        draw: 'bar',
        aggregate: 'avg',
      },
      {
        kind: 'timeline',
        title: 'Leaks',
        x: 8,
        y: 12,
        w: 4,
        h: 8,
        sources: [{ product: waterMeter, variable: 'data.leak' }],
      },
      {
        kind: 'query',
        title: 'Average flow by meter',
        x: 0,
        y: 20,
        w: 6,
        h: 8,
        query: { products: [waterMeter], aggs: { meters: byDevice } },
        show: 'bars',
      },
      { kind: 'map', title: 'Devices', x: 6, y: 20, w: 6, h: 8 },
      ...energyPanels(energyMeter),
    ],
    [{ name: 'site', kind: 'tag', default: 'athens' }],
  );
};

/** Makes the documents of the dashboards, in the order of the fleet's applications. */
export const fleetDashboards = (products: FleetProducts): object[] => [coldChain(products), buildings(products)];
