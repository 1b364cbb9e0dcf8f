import { geoGraticule10, geoMercator, geoPath } from 'd3-geo';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import world from 'world-atlas/countries-110m.json';
import { type Cluster, clustersOf } from './cluster.js';

/** A point on the map. */
export interface MapPoint {
  readonly id: string;
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  readonly href?: string;
  /** Marks a point that needs attention. */
  readonly tone?: 'bad';
}

export interface MapProps {
  readonly label: string;
  readonly places: readonly MapPoint[];
  /** Whether points that are close together share one mark, which a click opens. */
  readonly clusters?: boolean;
}

/** Size of a map in pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** Minimum margin that is shown around points, in degrees. */
const margin = 5;
/** Free space at the edges in pixels, so that no marker is cut. */
const markRoom = 8;
/** Northernmost latitude that is shown, as Mercator's projection has no poles. */
const northernmost = 84;

const topology = world as unknown as Topology<{ land: GeometryCollection; countries: GeometryCollection }>;
const land = feature(topology, topology.objects.land);
const borders = mesh(topology, topology.objects.countries, (a, b) => a !== b);

/** Distance in pixels at which two points become one mark. */
const reach = 16;
/**
 * Width of the smallest part of the map that a click opens, in degrees. Points that are closer together appear in a
 * list.
 */
const narrowest = 0.02;

/** Shows points on outlines of land and countries. Nothing is loaded from another host. */
export function OutlineMap({ label, places, clusters = false }: MapProps) {
  const [opened, setOpened] = useState<readonly string[] | undefined>();
  const part = useMemo(() => {
    const found = opened === undefined ? [] : places.filter(({ id }) => opened.includes(id));
    return found.length === 0 ? undefined : found;
  }, [places, opened]);
  const isNarrow = part !== undefined && spreadOf(part) < narrowest;
  const [frame, setFrame] = useState<SVGSVGElement | null>(null);
  const { width, height } = useSize(frame);
  const { paths, points } = useMemo(
    () => drawn(part ?? places, part === undefined ? margin : 0, { width, height }),
    [places, part, width, height],
  );
  const marks = useMemo(() => clustersOf(points, clusters ? reach : 0), [points, clusters]);
  const map = (
    <svg ref={setFrame} class="map" viewBox={`0 0 ${width} ${height}`} role="group" aria-label={label}>
      <path class="graticule" d={paths.graticule} />
      <path class="land" d={paths.land} />
      <path class="borders" d={paths.borders} />
      {marks.map((mark) =>
        mark.of.length === 1 ? (
          <Point key={mark.of[0]!.place.id} of={mark.of[0]!} />
        ) : (
          <Group key={mark.of[0]!.place.id} of={mark} open={() => setOpened(mark.of.map(({ place: { id } }) => id))} />
        ),
      )}
    </svg>
  );
  if (part === undefined) return map;
  return (
    <div class="map-part">
      {isNarrow ? (
        <ul class="lines">
          {part.map(({ id, name, href }) => (
            <li key={id}>{href === undefined ? name : <a href={href}>{name}</a>}</li>
          ))}
        </ul>
      ) : (
        map
      )}
      <button type="button" class="map-back" onClick={() => setOpened(undefined)}>
        Whole map
      </button>
    </div>
  );
}

/** Measures the map, so that land fills the available space and marks have the same size everywhere. */
function useSize(frame: SVGSVGElement | null): Size {
  const [size, setSize] = useState<Size>({ width: 640, height: 320 });
  useLayoutEffect(() => {
    if (frame === null) return undefined;
    const watcher = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      if (width > 4 * markRoom && height > 4 * markRoom) setSize({ width, height });
    });
    watcher.observe(frame);
    return () => watcher.disconnect();
  }, [frame]);
  return size;
}

interface Drawn {
  readonly place: MapPoint;
  readonly x: number;
  readonly y: number;
}

const Point = ({ of: { place, x, y } }: { of: Drawn }) => {
  const mark = (
    <circle cx={x} cy={y} r="5" class={place.tone}>
      <title>{place.name}</title>
    </circle>
  );
  return place.href === undefined ? (
    <g>{mark}</g>
  ) : (
    <a href={place.href} aria-label={place.name}>
      {mark}
    </a>
  );
};

const Group = ({ of: { of, x, y }, open }: { of: Cluster<Drawn>; open: () => void }) => (
  <g
    role="button"
    tabIndex={0}
    class="cluster"
    aria-label={`${of.length} devices, the first is ${of[0]!.place.name}`}
    onClick={open}
    onKeyDown={(event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      open();
    }}
  >
    <circle cx={x} cy={y} r={of.length < 10 ? 10 : 13} class={of.find(({ place }) => place.tone)?.place.tone}>
      <title>{of.map(({ place: { name } }) => name).join(', ')}</title>
    </circle>
    <text x={x} y={y} text-anchor="middle" dominant-baseline="central" aria-hidden="true">
      {of.length}
    </text>
  </g>
);

const spreadOf = (places: readonly MapPoint[]): number => {
  const spread = (values: readonly number[]) => Math.max(...values) - Math.min(...values);
  return Math.max(spread(places.map(({ lat }) => lat)), spread(places.map(({ lon }) => lon)));
};

/** @param margin minimum free space around the points, in degrees. */
const drawn = (places: readonly MapPoint[], margin: number, { width, height }: Size) => {
  const lats = places.map(({ lat }) => lat);
  const lons = places.map(({ lon }) => lon);
  const [south, north] = [Math.min(...lats) - margin, Math.max(...lats) + margin].map((lat) =>
    Math.max(-northernmost, Math.min(northernmost, lat)),
  ) as [number, number];
  const [west, east] = [Math.min(...lons) - margin * 2, Math.max(...lons) + margin * 2];
  const corners = [
    [west, south],
    [east, south],
    [west, north],
    [east, north],
  ];
  const projection = geoMercator()
    .rotate([-(west + east) / 2, 0])
    .fitExtent(
      [
        [markRoom, markRoom],
        [width - markRoom, height - markRoom],
      ],
      { type: 'MultiPoint', coordinates: corners },
    )
    .clipExtent([
      [0, 0],
      [width, height],
    ]);
  const path = geoPath(projection).digits(1);
  const points = places.flatMap((place) => {
    const at = projection([place.lon, Math.max(-northernmost, Math.min(northernmost, place.lat))]);
    return at === null ? [] : [{ place, x: at[0], y: at[1] }];
  });
  return {
    paths: { graticule: path(geoGraticule10()) ?? '', land: path(land) ?? '', borders: path(borders) ?? '' },
    points,
  };
};
