import type { Pool } from 'pg';

/** The tables that upkeep derives from the records, without the notes of stale parts. */
export const rollupTables = [
  'record_rollup',
  'record_total',
  'record_day',
  'record_value',
  'record_value_total',
  'record_digest',
  'record_digest_total',
  'record_digest_week',
  'record_summary',
  'record_source',
] as const;

type Table = (typeof rollupTables)[number];
type Row = Record<string, unknown>;

/** All rollups of a database. */
export interface Kept {
  readonly rows: ReadonlyMap<Table, readonly Row[]>;
  /** Notes of stale parts. */
  readonly outOfDate: readonly Row[];
}

/** Reads all rollups. */
export const kept = async (pool: Pool): Promise<Kept> => {
  const rows = new Map<Table, Row[]>();
  for (const table of rollupTables) rows.set(table, (await pool.query<Row>(`select * from ${table}`)).rows);
  const { rows: outOfDate } = await pool.query<Row>(`
    select 'hour' as what, hour as start from record_dirty union all select 'day', day from record_dirty_day
    union all select 'summary', day from record_dirty_summary
    union all select 'week', day from record_summary where not in_week or not sketched`);
  return { rows, outOfDate };
};

/** Returns some rows that only `wanted` has, and some that only `got` has, as text. */
export const missingAndExtra = (got: Kept, wanted: Kept): { missing: string[]; extra: string[] } => {
  const [counted, countable] = [countedIn(got), countedIn(wanted)];
  // Days rolled up before a variable existed have no counts for it.
  const texts = (of: Kept) =>
    new Set(
      [...of.rows].flatMap(([table, rows]) =>
        rows
          .filter(
            (row) =>
              !('key' in row) || (counted.has(dayKey(row, row['key'])) && countable.has(dayKey(row, row['key']))),
          )
          .map((row) => `${table} ${textOf(table, row)}`),
      ),
    );
  const [ours, theirs] = [texts(got), texts(wanted)];
  // A product keeps a device among those with records, even when the records are gone.
  const extra = [...ours].filter((text) => !theirs.has(text) && !text.startsWith('record_source'));
  return { missing: [...theirs].filter((text) => !ours.has(text)).slice(0, 5), extra: extra.slice(0, 5) };
};

const dayKey = (row: Row, key: unknown) => JSON.stringify([row['product_id'], row['day'], key]);
const countedIn = ({ rows }: Kept) =>
  new Set(rows.get('record_summary')!.flatMap((row) => (row['keys'] as number[]).map((key) => dayKey(row, key))));

const textOf = (table: Table, row: Row): string => {
  const { keys, measures, sketch, digest, ...rest } = row;
  return JSON.stringify({
    ...rest,
    ...(table !== 'record_summary' && { keys }),
    ...(Array.isArray(measures) && {
      measures: measures.slice(0, measures.findLastIndex((value) => value !== null) + 1),
    }),
    ...(digest instanceof Buffer && { digest: digest.toString('hex') }),
    // The order of a sketch's hashes has no meaning.
    ...(sketch instanceof Buffer && { sketch: [sketch.readInt32BE(), ...hashesOf(sketch)] }),
  });
};

const hashesOf = (sketch: Buffer): number[] =>
  Array.from({ length: sketch.length / 4 - 1 }, (_, index) => sketch.readInt32BE(4 * index + 4)).sort((a, b) => a - b);
