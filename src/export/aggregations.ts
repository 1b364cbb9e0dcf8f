import { invalid, rateLimited, timedOut } from '#common/errors.js';
import { daySeconds } from '#common/time.js';
import { locate } from '#json/json.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import type { ExportArgs } from '#schema/export.args.js';
import type { ExportRow, Table } from './table.js';

/** Upper end of the default range beyond now, in seconds. Records are at most a day ahead. */
const ahead = 3 * daySeconds;

/**
 * Answers aggregations as a table, with one row for each innermost bucket that holds the keys of its enclosing buckets.
 * One search computes it, within the limits of searches.
 * @throws ApiError 422 with the engines' reason
 */
export const aggregationTable = async (
  { index, clock }: { readonly index: Pick<RecordIndex, 'prepare'>; readonly clock: () => number },
  { position, signal }: Pick<Context, 'position' | 'signal'>,
  { organizationId, applicationId, products, query, aggs, from, to, columns }: ExportArgs,
): Promise<Table> => {
  if (aggs == null) throw invalid([{ path: 'aggs', message: 'is required' }]);
  const asked = { products: products ?? [], size: 0, track_total_hits: false, aggs, ...(query != null && { query }) };
  const range = { gte: from ?? 0, lte: to ?? clock() / 1000 + ahead };
  const ask = index.prepare(locate(range), locate([asked]));
  const answer = (await ask({ organizationId, applicationId, position, signal })).responses[0]!;
  if ('error' in answer) {
    const { status, error } = answer;
    throw status === 429 ? rateLimited(error.reason, 1) : invalid([{ path: 'aggs', message: error.reason }]);
  }
  if (answer.timed_out) throw timedOut();
  const rows = [...rowsOf((answer.aggregations ?? {}) as Answers, {})];
  const paths = columns?.length ? columns : [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return { columns: paths.map((path) => ({ path, kind: 'json' })), isChosen: true, pages: inPages(rows) };
};

const pageSize = 1000;

function* inPages(rows: readonly ExportRow[]): Generator<readonly ExportRow[], void> {
  for (let at = 0; at < rows.length; at += pageSize) yield rows.slice(at, at + pageSize);
}

/** Results of aggregations, by name. */
type Answers = Readonly<Record<string, unknown>>;

/**
 * Yields the rows of the buckets below, to which the cells `above` are added. Metrics beside the buckets are repeated
 * in each of their rows.
 */
function* rowsOf(answers: Answers, above: ExportRow): Generator<ExportRow> {
  const values: Record<string, unknown> = { ...above };
  const branches: [name: string, answer: Answers][] = [];
  for (const [name, answer] of Object.entries(answers)) {
    if (!isObject(answer)) continue;
    if ('buckets' in answer || 'doc_count' in answer) branches.push([name, answer]);
    else Object.assign(values, valuesOf(name, answer));
  }
  if (branches.length === 0) yield values;
  for (const [name, answer] of branches) {
    for (const [key, bucket] of bucketsOf(name, answer)) {
      const row = { ...values, ...key, [`${name}.doc_count`]: bucket['doc_count'] };
      yield* rowsOf(inside(bucket), row);
    }
  }
}

/**
 * Returns the buckets of an aggregation with their keys. A single-bucket aggregation is its own bucket, without a key.
 */
const bucketsOf = (name: string, answer: Answers): (readonly [key: ExportRow, bucket: Answers])[] => {
  const { buckets } = answer;
  if (Array.isArray(buckets)) return (buckets as Answers[]).map((bucket) => [keyOf(name, bucket), bucket] as const);
  if (!isObject(buckets)) return [[{}, answer]];
  return Object.entries(buckets).map(([key, bucket]) => [{ [name]: key }, bucket as Answers] as const);
};

/** Returns the cells of a bucket's key as shown. A `composite` key has a cell for each source. */
const keyOf = (name: string, { key, key_as_string: text }: Answers): ExportRow =>
  isObject(key)
    ? Object.fromEntries(Object.entries(key).map(([source, value]) => [`${name}.${source}`, value]))
    : { [name]: text ?? key };

const inside = ({ key: _key, ...bucket }: Answers): Answers => bucket;

/** Returns the values of a metric: one, or several by name. */
const valuesOf = (name: string, answer: Answers): ExportRow => {
  if ('value' in answer) return { [name]: answer['value_as_string'] ?? answer['value'] };
  return Object.fromEntries(
    Object.entries(answer).flatMap(([key, value]) =>
      key === 'values' && isObject(value)
        ? Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, one])
        : [[`${name}.${key}`, value]],
    ),
  );
};

const isObject = (value: unknown): value is Answers =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
