import type { Cell } from '../../format/csv.js';

/** Buckets of an answer as rows: the keys of the levels, the number of records, and the figures of each bucket. */
export interface BucketTable {
  readonly title: string;
  /** Names of the columns, the keys first. */
  readonly columns: readonly string[];
  /** Number of columns that are keys. */
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

/** Whether a value is that of a bucket aggregation: it has buckets, or is a single bucket with its own count. */
const isGroup = (value: unknown): value is Json =>
  isObject(value) && ('buckets' in value || typeof value['doc_count'] === 'number');

/** Returns the tables of an answer's aggregations: one per top-level bucket aggregation, and one for all metrics. */
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

/** Returns the rows of a bucket aggregation. Sub-aggregations are joined to it row by row. */
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
  // Times stay numbers; the page shows them in its time zone.
  return typeof key === 'number' || text === undefined ? (key as Cell) : (text as Cell);
};

/** Returns the figures of a metric by name: its value, or each of its parts. */
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
