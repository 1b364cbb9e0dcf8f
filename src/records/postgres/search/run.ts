import sql from 'sql-template-tag';
import type { Aggregation } from '../../../search/aggregation/aggregation.js';
import type { Answer } from '../../../search/aggregation/answer.js';
import type { TimeRange } from '../../../search/envelope.js';
import type { Fields } from '../../../search/field/field.js';
import { type BoundKey, bindSort, cursorInstant } from '../../../search/hits/bound-sort.js';
import { readCursor } from '../../../search/hits/search-after.js';
import { bindShownFields } from '../../../search/hits/shown-field.js';
import { bindQuery } from '../../../search/query/bind.js';
import { all, type Predicate } from '../../../search/query/predicate.js';
import type { Query } from '../../../search/query/query.js';
import { timeLeft } from '../../../search/query/time-left.js';
import type { SearchRequest } from '../../../search/request.js';
import type { Span } from '../../../search/span.js';
import type { Input } from '../../../search/syntax/input.js';
import { needsNarrow, planTree, timedBy } from './aggregation/tree.js';
import { type Hit, isByTime, readHits, type Times } from './hits/hits.js';
import { type Asked, rollupCandidate, rollupRange } from './rollup/eligible.js';
import type { FindSources, Sources } from './rollup/sources.js';
import type { Reader } from './snapshot-reader.js';
import { narrow, type Scope, scan } from './sql/scan.js';

/** The part of an answer that a query makes. */
export interface Found {
  hits: { total?: { value: number; relation: 'eq' | 'gte' }; max_score: null; hits: Hit[] };
  aggregations?: Answer;
}

/** What a query runs with. */
export interface Run {
  readonly scope: Scope;
  readonly range: TimeRange;
  readonly fields: Fields;
  /** The moment that `now` means, in milliseconds. */
  readonly now: number;
  /** Counts what the answer takes, in bytes; throws past what a call, or all of them, may hold. */
  readonly weigh: (bytes: number) => void;
  /** The unit of moments in sources and sort values. */
  readonly times: Times;
  /** What rollups there are; absent where they may not answer. */
  readonly sources?: FindSources;
}

/** Binds, compiles and runs one parsed query. */
export const run = async (
  reader: Reader,
  request: SearchRequest,
  { scope, range, fields, now, weigh, times, sources }: Run,
): Promise<Found> => {
  const binding = { fields, now };
  const bind = (query: Query | undefined): Predicate => (query === undefined ? all : bindQuery(query, binding));
  const query = bind(request.query);
  const predicates = [query, bind(request.postFilter)];
  const sort = bindSort(request.sort, binding);
  const after = request.searchAfter && readCursor(request.searchAfter, sort, now);
  const timed = timedBy(request.aggregations, query, binding);
  const found = await foundSpans(reader, scope, timed);
  const wide = spanOf(range, now);
  const asks = spanAsked(wide, request, query);
  const span = (needsNarrow(request.aggregations, asks) ? await foundSpan(reader, scope, all) : undefined) ?? asks;
  const asked = { aggregations: request.aggregations, query, productIds: scope.productIds, fields, span, range, now };
  const candidate = sources && timed.size === 0 ? rollupCandidate(asked) : undefined;
  const { deviceIds } = narrow(scope, [query]).scope;
  const some = deviceIds.length < scope.deviceIds.length ? deviceIds : undefined;
  const rollup = candidate && rollupRange(asked, candidate, await sources!(reader.rows, some));
  const over = rollup ? { ...scope, rollup } : await lean(asked, scope, reader, sources);
  const planned = planTree(request.aggregations, over, query, {
    fields,
    now,
    span,
    found,
    times,
    pace: reader.pace,
    weigh,
  });
  const { from, size, source, fields: shown } = request;
  const page = { scope, predicates, sort, from, size, span: untilCursor(wide, sort, request.searchAfter, now) };
  const products = sources && isByTime(page) ? allProducts(scope, await sources(reader.rows)) : undefined;
  const hits = await readHits(reader, {
    ...page,
    source,
    fields: bindShownFields(shown, fields),
    times,
    weigh,
    ...(after && { after }),
    ...(products && { products }),
  });
  const known =
    after === undefined && hits.length < size && (hits.length > 0 || from === 0) ? from + hits.length : undefined;
  const aggregations = await planned?.read(reader);
  const added = request.postFilter === undefined ? planned?.total() : undefined;
  const total = await countHits(reader, request, scope, predicates, known ?? added);
  return { hits: { ...(total && { total }), max_score: null, hits }, ...(aggregations && { aggregations }) };
};

/** The time that the records after a cursor can be in. */
const untilCursor = (span: Span, [first]: readonly BoundKey[], cursor: Input | undefined, now: number): Span => {
  if (cursor === undefined || first?.type !== 'timestamp' || !first.descending) return span;
  const reached = Date.parse(cursorInstant(cursor.items()[0]!, now));
  // A moment beyond the calendar reads as no number.
  return reached < span.to ? { ...span, to: Math.ceil(reached) + 1 } : span;
};

/** Within less than this, in milliseconds, the records of a product are quickly found through its index. */
const short = 14 * 86_400_000;

/**
 * The scope without its products, where its devices have records of no other: PostgreSQL takes one condition that follows from
 * another for chance, expects too few records and looks up one by one what is better read from end to end.
 */
const lean = async (
  { aggregations, query, span }: Asked,
  scope: Scope,
  { rows }: Reader,
  sources: FindSources | undefined,
): Promise<Scope> => {
  if (!sources || aggregations.length === 0 || scope.productIds.length === 0) return scope;
  const left = timeLeft(span, [query]);
  if (!(left.to - left.from > short)) return scope;
  const named = new Set<string | null>(scope.productIds);
  const { products } = await sources(rows);
  return products.length > 0 && products.every((id) => named.has(id)) ? { ...scope, productIds: [] } : scope;
};

/** The products of a scope, where nearly all records of each are in it: a device may have come since the last rollup. */
const allProducts = ({ productIds, deviceIds }: Scope, { products, whole }: Sources): string[] | undefined => {
  const ids = productIds.length === 0 ? products : productIds;
  const known = ids.filter((id) => id !== null && whole.has(id)) as string[];
  return ids.length > 0 && known.length === ids.length && ids.length < deviceIds.length ? known : undefined;
};

/** What a query leaves of a span, where nothing looks beyond the query. */
const spanAsked = (wide: Span, { aggregations }: SearchRequest, query: Predicate): Span => {
  if (aggregations.some(({ kind }) => kind === 'global')) return wide;
  const { from, to } = timeLeft(wide, [query]);
  // A moment beyond the calendar reads as no number.
  return from <= to ? { from: Math.floor(from), to: Math.ceil(to) } : wide;
};

/** How many records match, counted no further than asked for. `known`: where the page already shows it. */
const countHits = async (
  reader: Reader,
  { trackTotal }: SearchRequest,
  scope: Scope,
  predicates: readonly Predicate[],
  known?: number,
) => {
  if (trackTotal === false) return undefined;
  const count = known ?? (await counted(reader, scope, predicates, trackTotal));
  return count > trackTotal
    ? { value: trackTotal, relation: 'gte' as const }
    : { value: count, relation: 'eq' as const };
};

const counted = async (
  reader: Reader,
  scope: Scope,
  predicates: readonly Predicate[],
  most: number,
): Promise<number> => {
  if (scope.deviceIds.length === 0) return 0;
  const { source, where } = scan(scope, predicates, []);
  const query = Number.isFinite(most)
    ? sql`select count(*) from (select from ${source} where ${where} limit ${most + 1}::int) x`
    : sql`select count(*) from ${source} where ${where}`;
  const [row] = await reader.tuples(query);
  return Number(row![0]);
};

/** The time that the records of each aggregation are in; those of one predicate are read once. */
const foundSpans = async (
  reader: Reader,
  scope: Scope,
  records: ReadonlyMap<Aggregation, Predicate>,
): Promise<Map<Aggregation, Span>> => {
  const found = new Map<Aggregation, Span>();
  for (const [predicate, ones] of Map.groupBy(records, ([, predicate]) => predicate)) {
    const span = await foundSpan(reader, scope, predicate);
    if (span !== undefined) for (const [one] of ones) found.set(one, span);
  }
  return found;
};

/** The time that the matching records are in. */
const foundSpan = async (reader: Reader, scope: Scope, query: Predicate): Promise<Span | undefined> => {
  if (scope.deviceIds.length === 0) return undefined;
  const { source, where } = scan(scope, [query], []);
  const [row] = await reader.tuples(
    sql`select extract(epoch from min(r.ts)) * 1000, extract(epoch from max(r.ts)) * 1000 from ${source} where ${where}`,
  );
  const [from, to] = row as [string | null, string | null];
  return from === null || to === null ? undefined : { from: Math.floor(Number(from)), to: Math.floor(Number(to)) };
};

/** Records are from 2000 on and at most a day ahead, whatever was asked for. */
const earliest = Date.UTC(1999, 11, 30);
const ahead = 3 * 86_400_000;
const spanOf = ({ fromMillis, toMillis }: TimeRange, now: number) => {
  const from = Math.min(Math.max(fromMillis, earliest), now + ahead);
  return { from: Math.floor(from), to: Math.ceil(Math.max(from, Math.min(toMillis, now + ahead))) };
};
