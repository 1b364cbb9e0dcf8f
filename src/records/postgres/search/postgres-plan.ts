import { dayMs } from '#common/time.js';
import type { Aggregation } from '#search/aggregation/aggregation.js';
import { type BoundRequest, bindRequest } from '#search/bound-request.js';
import type { TimeRange } from '#search/envelope.js';
import type { Fields } from '#search/field/field.js';
import { type BoundKey, cursorInstant } from '#search/hits/bound-sort.js';
import type { InstantRange } from '#search/instant-range.js';
import type { Predicate } from '#search/query/predicate.js';
import { timeLeft } from '#search/query/time-left.js';
import type { SearchRequest } from '#search/request.js';
import { needsNarrow } from './aggregation/tree.js';
import { isByTime } from './hits/page.js';
import { type Candidate, type RollupRequest, rollupCandidate, rollupRange } from './rollup/eligible.js';
import type { LeftOut, RollupRange } from './rollup/rollup-range.js';
import type { Sources } from './rollup/sources.js';
import type { Summaries } from './rollup/summaries.js';
import { narrow, type Scope } from './sql/record-scan.js';

/*
 * Decides, without a database, what is read for a query and in which order. Some decisions need facts that are read
 * first: the functions below return which facts, and what follows from them. `execute` reads them and runs the plan.
 */

/** Context of planning a query. */
export interface PlanContext {
  readonly scope: Scope;
  readonly range: TimeRange;
  readonly fields: Fields;
  /** Instant of `now`, in milliseconds. */
  readonly now: number;
}

/** A query bound to its fields, with its time spans. */
export interface PostgresPlan extends PlanContext, BoundRequest {
  /** Possible time span of the page's hits. */
  readonly pageSpan: InstantRange;
  /** Time span of the aggregations, as far as the query determines it. */
  readonly span: InstantRange;
  /** Whether the actual time span of the records is read first, because the whole span would have too many buckets. */
  readonly narrows: boolean;
}

/**
 * Plans a query. The plan of `{"query": {"term": {"data.state": "ok"}}}` binds `data.state` to a slot of texts, so
 * its hits are read by this, abridged from `test/data/search/golden/queries-bool.sql`:
 *
 * ```sql
 * select id, ... from record
 * where organization_id = $1 and device_id = any($2) and ts >= $3 and ts <= $4 and texts[$6] = $9
 * order by ts desc, seq desc limit $17 offset $18
 * ```
 * @throws SearchFailure if it does not fit its fields
 */
export const planOf = (request: SearchRequest, context: PlanContext): PostgresPlan => {
  const { range, now } = context;
  const bound = bindRequest(request, context);
  const wholeSpan = spanOf(range, now);
  const span = spanLeft(wholeSpan, request.aggregations, bound.query);
  return {
    ...context,
    ...bound,
    pageSpan: untilCursor(wholeSpan, bound.sort, request, now),
    span,
    narrows: needsNarrow(request.aggregations, span),
  };
};

/** Rollups that may answer a plan's aggregations, and the devices whose rollups are needed, if not all. */
export interface RollupQuestion {
  readonly request: RollupRequest;
  readonly candidate: Candidate;
  readonly deviceIds?: readonly string[];
}

/**
 * Determines whether rollups may answer, as far as the query tells.
 * @param span time span of the records, if it was read
 * @param options whether sketches may count different values if rollups do not have exact counts, and whether sums of
 * blocks may be read
 */
export const rollupQuestion = (
  plan: PostgresPlan,
  span: InstantRange,
  { sketched = false, blocks = false }: Pick<RollupRequest, 'sketched' | 'blocks'>,
): RollupQuestion | undefined => {
  if (plan.timed.size > 0) return undefined;
  const request = { ...rollupRequestOf(plan, span), sketched, blocks };
  const candidate = rollupCandidate(request);
  if (candidate === undefined || (sketched && !candidate.sketches)) return undefined;
  const { deviceIds } = narrow(plan.scope, [plan.query]).scope;
  return { request, candidate, ...(deviceIds.length < plan.scope.deviceIds.length && { deviceIds }) };
};

/** Number of devices up to which hours and days are read by the index of devices, whatever else is queried. */
const fewDevices = 10;

/** Returns the scope with the rollups that replace its records; undefined if there are no valid ones. */
export const rolledScope = (
  { scope }: PostgresPlan,
  question: RollupQuestion,
  sources: Sources,
  summaries?: Summaries,
  leftOut?: LeftOut,
): Scope | undefined => {
  const rollup = rollupRange(question.request, question.candidate, sources, summaries?.stale, leftOut);
  const deviceIds = question.deviceIds ?? scope.deviceIds;
  if ((rollup?.digests || rollup?.sketches) && digestsIn(rollup, deviceIds, summaries?.days) > maxDigests)
    return undefined;
  const { keys, digests, sketches, apart, everyDevice } = rollup ?? {};
  const hasFewDevices =
    apart?.length && !everyDevice && !keys && !digests && !sketches && deviceIds.length <= fewDevices;
  return rollup && { ...scope, rollup, ...(hasFewDevices && { hasFewDevices }) };
};

/** Whether a scope reads records, at least where its rollups are stale or missing. */
export const readsRecords = (scope: Scope | undefined): boolean => scope?.rollup?.stale.length !== 0;

/** Returns the scope with fewer stale rollups: exact counts of different values, or sketches. */
export const fresher = (exact: Scope | undefined, sketched: Scope | undefined): Scope | undefined => {
  const staleOf = (scope: Scope | undefined) => scope?.rollup?.stale.length ?? Infinity;
  return staleOf(sketched) < staleOf(exact) ? sketched : exact;
};

/** Maximum number of digests or sketches, each of some kilobytes, that are combined. */
const maxDigests = 8000;

/** Estimates the number of digests in a range. A device usually has one product. */
const digestsIn = (
  { whole, apart, slots }: RollupRange,
  deviceIds: readonly string[],
  days: Summaries['days'] = new Map(),
): number => {
  const daysOf = (products: readonly (string | null)[]) => products.map((id) => days.get(id) ?? 0);
  const together = daysOf(whole).reduce((sum, count) => sum + count, 0);
  return slots.length * (together + Math.max(0, ...daysOf(apart)) * deviceIds.length);
};

/**
 * Length of a time span, in milliseconds, within which the records of a product are quickly found through its index.
 */
const short = 14 * dayMs;

/** Whether it pays off to read which products have records: see {@link withoutProducts}. */
export const asksProducts = ({ request, scope, query }: PostgresPlan, span: InstantRange): boolean => {
  if (request.aggregations.length === 0 || scope.productIds.length === 0) return false;
  const left = timeLeft(span, [query]);
  return left.to - left.from > short;
};

/**
 * Returns the scope without its products, if its devices have records of no others. PostgreSQL treats a condition that
 * follows from another as independent of it. It then expects too few records, and looks up one by one what a scan would
 * read faster.
 */
export const withoutProducts = (scope: Scope, { products }: Sources): Scope => {
  const named = new Set<string | null>(scope.productIds);
  return products.length > 0 && products.every((id) => named.has(id)) ? { ...scope, productIds: [] } : scope;
};

/** Whether the page is read in order of time, so that products can be read one by one: see {@link wholeProducts}. */
export const pagesByTime = ({ scope, predicates, sort, request: { from, size } }: PostgresPlan): boolean =>
  isByTime({ scope, predicates, sort, from, size });

/**
 * Returns the products of a scope that contains nearly all of their records: a device may have joined since the last
 * rollup.
 */
export const wholeProducts = ({ productIds, deviceIds }: Scope, { products, whole }: Sources): string[] | undefined => {
  const ids = productIds.length === 0 ? products : productIds;
  const wholeIds = ids.filter((id) => id !== null && whole.has(id)) as string[];
  return ids.length > 0 && wholeIds.length === ids.length && ids.length < deviceIds.length ? wholeIds : undefined;
};

/**
 * Returns the number of matching records, if a page that is not full shows it.
 * @param shown number of hits of the page
 */
export const totalShown = ({ cursor, request: { from, size } }: PostgresPlan, shown: number): number | undefined =>
  cursor === undefined && shown < size && (shown > 0 || from === 0) ? from + shown : undefined;

const rollupRequestOf = (
  { request, query, scope, fields, range, now }: PostgresPlan,
  span: InstantRange,
): RollupRequest => ({
  aggregations: request.aggregations,
  query,
  productIds: scope.productIds,
  fields,
  span,
  range,
  now,
});

/** Narrows a time span to the records after a cursor. */
const untilCursor = (
  span: InstantRange,
  [first]: readonly BoundKey[],
  { searchAfter }: Pick<SearchRequest, 'searchAfter'>,
  now: number,
): InstantRange => {
  if (searchAfter === undefined || first?.type !== 'timestamp') return span;
  const reached = Date.parse(cursorInstant(searchAfter.items()[0]!, now));
  // For a timestamp beyond JavaScript's dates, `reached` is NaN and the span stays.
  if (!first.descending) return reached > span.from ? { ...span, from: Math.floor(reached) } : span;
  return reached < span.to ? { ...span, to: Math.ceil(reached) + 1 } : span;
};

/** Narrows a time span by a query, unless an aggregation ignores the query. */
const spanLeft = (span: InstantRange, aggregations: readonly Aggregation[], query: Predicate): InstantRange => {
  if (aggregations.some(({ kind }) => kind === 'global')) return span;
  const { from, to } = timeLeft(span, [query]);
  // For a timestamp beyond JavaScript's dates, an end is NaN and the span stays.
  return from <= to ? { from: Math.floor(from), to: Math.ceil(to) } : span;
};

/** Records are from 2000 on and at most a day ahead, whatever the request says. */
const earliest = Date.UTC(1999, 11, 30);
const ahead = 3 * dayMs;
const spanOf = ({ fromMillis, toMillis }: TimeRange, now: number): InstantRange => {
  const from = Math.min(Math.max(fromMillis, earliest), now + ahead);
  return { from: Math.floor(from), to: Math.ceil(Math.max(from, Math.min(toMillis, now + ahead))) };
};
