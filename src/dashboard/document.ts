import { type Fault, invalid } from '#common/errors.js';
import { limitFault } from './document-size.js';
import { query } from './query.js';
import { choice, flag, inTurn, kinds, list, number, object, pattern, text, whole } from './value-checks.js';

/** A stored dashboard. */
export interface Document {
  readonly format: 1;
  readonly range: string;
  readonly variables: readonly { name: string; kind: string; default?: string }[];
  readonly panels: readonly Panel[];
}

/** A panel with its place on the grid of 12 columns. */
export interface Panel extends PanelFields {
  readonly id: string;
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** Columns of the grid. */
export const columns = 12;

/** The document of a dashboard that was never saved. */
export const emptyDocument: Document = { format: 1, range: '24h', variables: [], panels: [] };

const short = text(1, 200);
const aggregate = choice('last', 'avg', 'min', 'max', 'sum', 'count', 'increase');
const oneNumber = ['sum', 'avg', 'min', 'max', 'count', 'p50', 'p95'] as const;
const combine = choice(...oneNumber);
const split = choice('site', 'product', 'tag', 'device');
const compare = choice('previous', 'year');

const lengths = ['1h', '6h', '24h', '7d', '30d', '90d'] as const;
const days = ['today', 'yesterday', 'this-week', 'last-week'] as const;
const months = ['this-month', 'last-month', 'this-year', 'last-year'] as const;

const devices = { devices: list(short, 1, 20), tag: short, product: short, site: short };

/** Checks that an object uses at most one of the ways to choose devices. */
const oneChoice = (value: unknown, path: string, faults: Fault[]): void => {
  const chosen = Object.keys(devices).filter((name) => Object.hasOwn(value as object, name));
  if (chosen.length > 1) faults.push({ path, message: `takes only one of ${chosen.join(', ')}` });
};

const source = inTurn(
  object({ required: { variable: short }, optional: { ...devices, unit: text(0, 200), label: text(0, 200) } }),
  oneChoice,
);

const band = inTurn(
  object({ required: { severity: choice('info', 'warning', 'critical') }, optional: { from: number, to: number } }),
  (value, path, faults) => {
    const { from, to } = value as { from?: number; to?: number };
    if (from !== undefined && to !== undefined && from >= to)
      faults.push({ path: `${path}.to`, message: 'must be greater than from' });
    if (from === undefined && to === undefined) faults.push({ path, message: 'needs from, to or both' });
  },
);
const bands = list(band, 0, 8);

/** Checks that a panel splits devices, compares ranges or has buckets of the calendar only where it combines devices. */
const combination = (value: unknown, path: string, faults: Fault[]): void => {
  const given = value as {
    kind: string;
    aggregate?: string;
    combine?: string;
    split?: string;
    every?: string;
    compare?: string;
  };
  const combines = given.combine !== undefined || given.aggregate === 'increase';
  for (const field of ['split', 'every', 'compare'] as const)
    if (given[field] !== undefined && !combines)
      faults.push({ path: `${path}.${field}`, message: 'needs combine, or the aggregate "increase"' });
  if (given.combine === 'spread' && given.split !== undefined)
    faults.push({ path: `${path}.split`, message: 'must be absent with the combine "spread"' });
  if (given.compare !== undefined && given.split !== undefined)
    faults.push({ path: `${path}.compare`, message: 'must be absent with split' });
};

const panel = inTurn(
  kinds(
    {
      required: {
        id: pattern(/^[a-z0-9-]{1,32}$/, 'must be 1 to 32 lower-case letters, digits or dashes'),
        title: text(0, 200),
        x: whole(0, columns - 1),
        y: whole(0, 1000),
        w: whole(1, columns),
        h: whole(1, 24),
      },
    },
    {
      series: {
        required: { sources: list(source, 1, 12), draw: choice('line', 'area', 'bar') },
        optional: {
          aggregate,
          combine: choice(...oneNumber, 'spread'),
          split,
          every: choice('hour', 'day', 'week', 'month'),
          compare,
          bands,
          min: number,
          max: number,
        },
      },
      figure: { required: { source, aggregate }, optional: { combine, trend: flag, compare, bands } },
      table: { required: { sources: list(source, 1, 8) } },
      map: { optional: devices },
      timeline: { required: { sources: list(source, 1, 12) } },
      top: {
        required: { source, aggregate, order: choice('highest', 'lowest'), size: whole(1, 50) },
        optional: { combine, split },
      },
      query: { required: { query, show: choice('table', 'bars') } },
      text: { required: { text: text(0, 10_000) } },
    },
  ),
  oneChoice,
  combination,
  (value, path, faults) => {
    const { x, w, min, max } = value as Panel & { min?: number; max?: number };
    if (x + w > columns) faults.push({ path: `${path}.w`, message: `must end within the ${columns} columns` });
    if (min !== undefined && max !== undefined && min >= max)
      faults.push({ path: `${path}.max`, message: 'must be greater than min' });
  },
);

const variable = object({
  required: {
    name: pattern(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/, 'must be a letter and up to 31 letters, digits, "_" or "-"'),
    kind: choice('device', 'tag', 'product', 'site'),
  },
  optional: { default: text(0, 200) },
});

const unique = (field: 'variables' | 'panels', key: 'name' | 'id') => {
  return (value: unknown, path: string, faults: Fault[]): void => {
    const seen = new Set<string>();
    for (const [index, each] of (value as Document)[field].entries()) {
      const name = (each as unknown as Record<string, string>)[key]!;
      if (seen.has(name)) faults.push({ path: `${path}.${field}.${index}.${key}`, message: 'is used twice' });
      seen.add(name);
    }
  };
};

const document = inTurn(
  object({
    required: {
      format: choice(1),
      range: choice(...lengths, ...days, ...months),
      variables: list(variable, 0, 8),
      panels: list(panel, 0, 24),
    },
  }),
  unique('variables', 'name'),
  unique('panels', 'id'),
  (value, path, faults) => {
    const { variables, panels } = value as Document;
    faults.push(...referenceFaults(variables, panels, path));
  },
);

/** Maximum number of faults that an error names. */
const maxFaults = 20;

/**
 * Checks a document and returns the JSON to store.
 * @throws invalid (422) with the path of each fault, at most 20.
 */
export function requireDocument(value: unknown): string {
  const tooMuch = limitFault(value);
  if (tooMuch !== undefined) throw invalid([tooMuch]);
  const faults: Fault[] = [];
  document(value, 'document', faults);
  if (faults.length > 0) throw invalid(faults.slice(0, maxFaults));
  return JSON.stringify(value);
}

/**
 * The devices of a panel or a source: by identifiers, tag, product or site. A variable such as `$room` may replace
 * each.
 */
interface Choice {
  readonly devices?: readonly string[];
  readonly tag?: string;
  readonly product?: string;
  readonly site?: string;
}

/** Fields of a panel that depend on its kind. */
interface PanelFields extends Choice {
  readonly kind: string;
  readonly source?: Choice;
  readonly sources?: readonly Choice[];
  readonly query?: { readonly products?: readonly string[] };
}

interface Variable {
  readonly name: string;
  readonly kind: string;
}

/** Returns a fault for each reference to a variable that the dashboard lacks or that has another kind. */
function referenceFaults(variables: readonly Variable[], panels: readonly PanelFields[], path: string): Fault[] {
  const kinds = new Map(variables.map(({ name, kind }) => [`$${name}`, kind]));
  return panels.flatMap((panel, index) =>
    referencesOf(panel, `${path}.panels.${index}`).flatMap(({ value, kind, at }) => {
      if (!value.startsWith('$') || kinds.get(value) === kind) return [];
      return [{ path: at, message: `names no variable of kind ${kind} of this dashboard` }];
    }),
  );
}

interface Reference {
  readonly value: string;
  readonly kind: 'device' | 'tag' | 'product' | 'site';
  readonly at: string;
}

const referencesOf = ({ source, sources = [], query, ...panel }: PanelFields, at: string): Reference[] => [
  ...ofChoice(panel, at),
  ...(source ? ofChoice(source, `${at}.source`) : []),
  ...sources.flatMap((each, index) => ofChoice(each, `${at}.sources.${index}`)),
  ...(query?.products ?? []).map(
    (value, index): Reference => ({ value, kind: 'product', at: `${at}.query.products.${index}` }),
  ),
];

const ofChoice = ({ devices = [], tag, product, site }: Choice, at: string): Reference[] => [
  ...devices.map((value, index): Reference => ({ value, kind: 'device', at: `${at}.devices.${index}` })),
  ...(tag === undefined ? [] : [{ value: tag, kind: 'tag' as const, at: `${at}.tag` }]),
  ...(product === undefined ? [] : [{ value: product, kind: 'product' as const, at: `${at}.product` }]),
  ...(site === undefined ? [] : [{ value: site, kind: 'site' as const, at: `${at}.site` }]),
];
