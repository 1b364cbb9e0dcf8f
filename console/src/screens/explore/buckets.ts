import type { Cell } from '../../csv.js';

/** Buckets of an answer as rows: the keys of the levels, how many records, and the figures of each. */
export interface BucketTable {
  readonly title: string;
  /** Names of the columns: first the keys. */
  readonly columns: readonly string[];
  /** How many columns are keys. */
  readonly keys: number;
  readonly rows: readonly (readonly Cell[])[];
  /** Whether the first key is a time in milliseconds. */
  readonly isTime: boolean;
}

type Json = Readonly<Record<string, unknown>>;

interface Row {
  readonly keys: readonly [string, Cell][];
  readonly figures: readonly [string, Cell][];
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What an aggregation groups by: it has buckets, or is a single one with records of its own. */
const isGroup = (value: unknown): value is Json =>
  isObject(value) && ('buckets' in value || typeof value['doc_count'] === 'number');

/** The tables of an answer's aggregations: one for each at the top that groups, and one for the figures beside them. */
export const tablesOf = (aggregations: Json, isTimeOf: (name: string) => boolean): BucketTable[] => {
  const entries = Object.entries(aggregations);
  const groups = entries.filter(([, value]) => isGroup(value));
  const figures = entries.filter(([, value]) => !isGroup(value));
  const tables = groups.map(([name, value]) => tableOf(name, rowsOf(name, value as Json), isTimeOf(name)));
  if (figures.length === 0) return tables;
  const alone = figures.flatMap(([name, value]) => figuresOf(name, value));
  return [tableOf('Figures', [{ keys: [], figures: alone }], false), ...tables];
};

const tableOf = (title: string, rows: readonly Row[], isTime: boolean): BucketTable => {
  const keys = [...new Set(rows.flatMap((row) => row.keys.map(([name]) => name)))];
  const figures = [...new Set(rows.flatMap((row) => row.figures.map(([name]) => name)))];
  return {
    title,
    columns: [...keys, ...figures],
    keys: keys.length,
    isTime,
    rows: rows.map((row) => {
      const own = [new Map(row.keys), new Map(row.figures)] as const;
      return [...keys.map((name) => own[0].get(name)), ...figures.map((name) => own[1].get(name))];
    }),
  };
};

/** The rows of a group; a group within is joined to it, row by row. */
const rowsOf = (name: string, group: Json): Row[] => {
  const { buckets } = group;
  const listed: [Cell, Json][] = Array.isArray(buckets)
    ? buckets.filter(isObject).map((bucket) => [keyOf(bucket), bucket])
    : isObject(buckets)
      ? Object.entries(buckets).map(([key, bucket]) => [key, isObject(bucket) ? bucket : {}])
      : [['', group]];
  return listed.flatMap(([key, bucket]) => {
    const keys: [string, Cell][] = key === '' ? [] : [[name, key]];
    const parts = Object.entries(bucket).filter(([part]) => !isOwn(part));
    const figures: [string, Cell][] = [
      ['records', bucket['doc_count'] as Cell],
      ...parts.filter(([, value]) => !isGroup(value)).flatMap(([part, value]) => figuresOf(part, value)),
    ];
    const inner = parts.filter(([, value]) => isGroup(value));
    if (inner.length === 0) return [{ keys, figures }];
    return inner.flatMap(([part, value]) =>
      rowsOf(part, value as Json).map((row) => ({
        keys: [...keys, ...row.keys],
        figures: [...row.figures, ...figures.slice(1)],
      })),
    );
  });
};

const isOwn = (part: string) => /^(key|key_as_string|doc_count|from|to|from_as_string|to_as_string)$/.test(part);

const keyOf = ({ key, key_as_string: text }: Json): Cell => {
  if (isObject(key)) return Object.values(key).join(', ');
  if (Array.isArray(key)) return key.join(', ');
  // Times are given as numbers, and shown in the zone of the page.
  return typeof key === 'number' || text === undefined ? (key as Cell) : (text as Cell);
};

/** The figures of a metric, by names: its value, or each of its parts. */
const figuresOf = (name: string, value: unknown): [string, Cell][] => {
  if (!isObject(value)) return [[name, cellOf(value)]];
  if ('value' in value) return [[name, cellOf(value['value'])]];
  const parts = isObject(value['values']) ? value['values'] : value;
  return Object.entries(parts)
    .filter(([part]) => !part.endsWith('_as_string'))
    .map(([part, one]) => [`${name} ${part}`, cellOf(one)]);
};

const cellOf = (value: unknown): Cell =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell);
