import { severities } from '../../components/badge.js';
import type { Level } from '../../components/levels.js';
import type { CalendarUnit, Comparison } from '../../format/compare.js';
import { calendarNames } from '../../format/range.js';

/** Ranges of a dashboard by their lengths, with their words. */
export const lengthNames = {
  '1h': 'Last hour',
  '6h': 'Last 6 hours',
  '24h': 'Last day',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
} as const;

/** Ranges of a dashboard by their names in the document. */
export const rangeNames = { ...lengthNames, ...calendarNames } as const;

export type RangeName = keyof typeof rangeNames;

/** Columns of the grid, most rows of a panel, and most panels of a dashboard. */
export const columns = 12;
export const tallest = 24;
export const mostPanels = 24;

/** Devices that a panel reads: some of them, those with a tag, of a product or at a site, or all of the application. */
export interface Choice {
  readonly devices?: readonly string[];
  readonly tag?: string;
  readonly product?: string;
  /** A site, with what is below it. */
  readonly site?: string;
}

/** A variable of devices. */
export interface Source extends Choice {
  /** Field of the records, such as `data.temperature`. */
  readonly variable: string;
  readonly unit?: string;
  readonly label?: string;
}

/** Position of a panel on the grid. */
export interface GridPosition {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

interface Base extends GridPosition {
  readonly id: string;
  readonly title: string;
}

export type Aggregate = 'last' | 'avg' | 'min' | 'max' | 'sum' | 'count' | 'increase';

/** Function that makes one number of those of devices. */
export type Combination = 'sum' | 'avg' | 'min' | 'max' | 'count' | 'p50' | 'p95';

/** Attribute that the devices of a line have in common. */
export type Split = 'site' | 'product' | 'tag' | 'device';

/** Fields of a panel that shows lines or numbers of many devices. */
export interface Combined<Of extends string = Combination> {
  readonly aggregate?: Aggregate;
  readonly combine?: Of;
  readonly split?: Split;
}

export interface SeriesPanel extends Base, Combined<Combination | 'spread'> {
  readonly kind: 'series';
  readonly sources: readonly Source[];
  readonly draw: 'line' | 'area' | 'bar';
  /** Length of a bar or point of combined devices; by default as short as the panel is wide. */
  readonly every?: CalendarUnit;
  readonly compare?: Comparison;
  readonly bands?: readonly Level[];
  readonly min?: number;
  readonly max?: number;
}

export interface FigurePanel extends Base, Combined {
  readonly kind: 'figure';
  readonly source: Source;
  readonly aggregate: Aggregate;
  readonly trend?: boolean;
  readonly compare?: Comparison;
  readonly bands?: readonly Level[];
}

export interface TablePanel extends Base {
  readonly kind: 'table';
  readonly sources: readonly Source[];
}

export interface MapPanel extends Base, Choice {
  readonly kind: 'map';
}

export interface TimelinePanel extends Base {
  readonly kind: 'timeline';
  readonly sources: readonly Source[];
}

export interface TopPanel extends Base, Combined {
  readonly kind: 'top';
  readonly source: Source;
  readonly aggregate: Aggregate;
  readonly order: 'highest' | 'lowest';
  readonly size: number;
}

export interface QueryPanel extends Base {
  readonly kind: 'query';
  readonly query: Readonly<Record<string, unknown>>;
  readonly show: 'table' | 'bars';
}

export interface TextPanel extends Base {
  readonly kind: 'text';
  readonly text: string;
}

export type Panel =
  | SeriesPanel
  | FigurePanel
  | TablePanel
  | MapPanel
  | TimelinePanel
  | TopPanel
  | QueryPanel
  | TextPanel;

/** A value that the reader of a dashboard chooses. Panels name it as `$name`. */
export interface Variable {
  readonly name: string;
  readonly kind: 'device' | 'tag' | 'product' | 'site';
  readonly default?: string;
}

/** A dashboard as it is stored. */
export interface Dashboard {
  readonly format: 1;
  readonly range: RangeName;
  readonly variables: readonly Variable[];
  readonly panels: readonly Panel[];
}

export const emptyDashboard: Dashboard = { format: 1, range: '24h', variables: [], panels: [] };

/** Name of a variable without the `data.` of the records. */
export const variableName = (variable: string): string => variable.replace(/^data\./, '');

/** Returns which devices a source or a map reads, without its other fields. */
export const choiceOf = ({ devices, tag, product, site }: Choice): Choice => ({
  ...(devices && { devices }),
  ...(tag && { tag }),
  ...(product && { product }),
  ...(site && { site }),
});

/** Returns the devices that a choice names but the answer lacks. */
export const goneOf = ({ devices = [] }: Choice, items: readonly { readonly id: string }[]): string[] =>
  devices.filter((id) => !items.some((item) => item.id === id));

/** Returns the sources of a panel. */
export const sourcesOf = (panel: Panel): readonly Source[] =>
  'sources' in panel ? panel.sources : 'source' in panel ? [panel.source] : [];

/** Returns a source or a map with other devices. */
export const withChoice = <Of extends Choice>({ devices, tag, product, site, ...rest }: Of, choice: Choice): Of =>
  ({ ...rest, ...choiceOf(choice) }) as Of;

/** Returns a panel with other devices. `change` gets the choice of each source, of a map, and of each product of a query. */
export const withChoices = (panel: Panel, change: (choice: Choice) => Choice): Panel => {
  const put = <Of extends Choice>(of: Of): Of => withChoice(of, change(choiceOf(of)));
  if ('sources' in panel) return { ...panel, sources: panel.sources.map(put) };
  if ('source' in panel) return { ...panel, source: put(panel.source) };
  if (panel.kind === 'map') return put(panel);
  if (panel.kind !== 'query' || panel.query['products'] === undefined) return panel;
  const products = (panel.query['products'] as string[]).map((product) => change({ product }).product);
  // A query without products finds the records of all.
  return { ...panel, query: { ...panel.query, products: products.includes(undefined) ? [] : products } };
};

/** Words for the functions that make one value of several. */
export const aggregates: Readonly<Record<Aggregate, string>> = {
  last: 'Newest value',
  avg: 'Average',
  min: 'Smallest',
  max: 'Largest',
  sum: 'Sum',
  count: 'Number of values',
  increase: 'Increase',
};

/** Words for what makes one line or number of many devices. */
export const combinations: Readonly<Record<Combination | 'spread', string>> = {
  spread: 'Lowest, average and highest',
  sum: 'Sum',
  avg: 'Average',
  min: 'Smallest',
  max: 'Largest',
  p50: 'Median',
  p95: '95th percentile',
  count: 'Number',
};

/** Words for the earlier ranges that a panel compares with. */
export const comparisons: Readonly<Record<Comparison, string>> = {
  previous: 'The range before',
  year: 'A year before',
};

/** Returns how a panel combines devices; undefined if it does not. Counters grow by device, and add up. */
export const combinationOf = <Of extends string>({ aggregate, combine }: Combined<Of>): Of | 'sum' | undefined =>
  combine ?? (aggregate === 'increase' ? 'sum' : undefined);

/** Whether a value is within a level. A level includes its start and excludes its end. */
export const levelAt = (levels: readonly Level[] = [], value: number): Level | undefined =>
  levels
    .filter(({ from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }) => value >= from && value < to)
    .sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))[0];

/** Returns an identifier that none of the panels has. */
export const freeId = (panels: readonly { readonly id: string }[]): string => {
  for (let number = panels.length + 1; ; number++)
    if (!panels.some(({ id }) => id === `p${number}`)) return `p${number}`;
};
