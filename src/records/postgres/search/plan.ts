import type { Aggregation } from '../../../search/aggregation/aggregation.js';
import { type BoundRequest, bindRequest } from '../../../search/bound-request.js';
import type { TimeRange } from '../../../search/envelope.js';
import type { Fields } from '../../../search/field/field.js';
import { type BoundKey, cursorInstant } from '../../../search/hits/bound-sort.js';
import type { Predicate } from '../../../search/query/predicate.js';
import { timeLeft } from '../../../search/query/time-left.js';
import type { SearchRequest } from '../../../search/request.js';
import type { Span } from '../../../search/span.js';
import { needsNarrow } from './aggregation/tree.js';
import { isByTime } from './hits/hits.js';
import { type Candidate, type RollupRequest, rollupCandidate, rollupRange } from './rollup/eligible.js';
import type { RollupRange } from './rollup/range.js';
import type { Sources } from './rollup/sources.js';
import type { Summaries } from './rollup/summaries.js';
import { narrow, type Scope } from './sql/scan.js';

/*
 * What is read for a query, and in which order, decided without a database. Some decisions need facts that are read first:
 * the functions below say which facts, and what follows from them. `execute` reads and carries out.
 */

/** What a query is planned over. */
export interface PlanContext {
  readonly scope: Scope;
  readonly range: TimeRange;
  readonly fields: Fields;
  /** The instant that `now` means, in milliseconds. */
  readonly now: number;
}

/** A query bound to its fields, and the time that it looks at. */
export interface Plan extends PlanContext, BoundRequest {
  /** The time that the hits of the page can be in. */
  readonly pageSpan: Span;
  /** The time that aggregations look at, as far as the question tells. */
  readonly span: Span;
  /** Whether the time that records are in at all is read first: over the whole span buckets would be too many. */
  readonly narrows: boolean;
}

/** Binds a query. @throws SearchFailure where it does not fit its fields. */
export const planOf = (request: SearchRequest, context: PlanContext): Plan => {
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

/** Rollups that may answer a plan's aggregations, and the only devices whose rollups matter, where these are some. */
export interface RollupQuestion {
  readonly request: RollupRequest;
  readonly candidate: Candidate;
  readonly deviceIds?: readonly string[];
}

/**
 * Whether rollups may answer, as far as the question tells.
 * @param span the time that records are in, where it was read.
 * @param sketched whether different values may be counted by sketches, where rollups do not tell them exactly.
 */
export const rollupQuestion = (plan: Plan, span: Span, sketched = false): RollupQuestion | undefined => {
  if (plan.timed.size > 0) return undefined;
  const request = { ...rollupRequestOf(plan, span), sketched };
  const candidate = rollupCandidate(request);
  if (candidate === undefined || (sketched && !candidate.sketches)) return undefined;
  const { deviceIds } = narrow(plan.scope, [plan.query]).scope;
  return { request, candidate, ...(deviceIds.length < plan.scope.deviceIds.length && { deviceIds }) };
};

/** Of so many devices hours and days are read by the index of devices, whatever else is asked. */
const fewDevices = 10;

/** The scope with the rollups that stand in for its records; undefined where there are none to trust. */
export const rolledScope = (
  { scope }: Plan,
  question: RollupQuestion,
  sources: Sources,
  summaries?: Summaries,
): Scope | undefined => {
  const rollup = rollupRange(question.request, question.candidate, sources, summaries?.stale);
  const deviceIds = question.deviceIds ?? scope.deviceIds;
  if ((rollup?.digests || rollup?.sketches) && digestsIn(rollup, deviceIds, summaries?.days) > maxDigests)
    return undefined;
  const { keys, digests, sketches, apart, everyDevice } = rollup ?? {};
  const ofFew = apart?.length && !everyDevice && !keys && !digests && !sketches && deviceIds.length <= fewDevices;
  return rollup && { ...scope, rollup, ...(ofFew && { ofFew }) };
};

/** Whether a scope is read from the records, at least where its rollups are out of date or there are none. */
export const readsRecords = (scope: Scope | undefined): boolean => scope?.rollup?.stale.length !== 0;

/** Of rollups that tell different values exactly and those that sketch them, those of which more is there. */
export const fresher = (exact: Scope | undefined, sketched: Scope | undefined): Scope | undefined => {
  const staleOf = (scope: Scope | undefined) => scope?.rollup?.stale.length ?? Infinity;
  return staleOf(sketched) < staleOf(exact) ? sketched : exact;
};

/** More digests or sketches than this, each of some kilobytes, are not laid together. */
const maxDigests = 8000;

/** How many digests a range has, about: a device is mostly of one product. */
const digestsIn = (
  { whole, apart, slots }: RollupRange,
  deviceIds: readonly string[],
  days: Summaries['days'] = new Map(),
): number => {
  const daysOf = (products: readonly (string | null)[]) => products.map((id) => days.get(id) ?? 0);
  const together = daysOf(whole).reduce((sum, count) => sum + count, 0);
  return slots.length * (together + Math.max(0, ...daysOf(apart)) * deviceIds.length);
};

/** Within less than this, in milliseconds, the records of a product are quickly found through its index. */
const short = 14 * 86_400_000;

/** Whether it pays to ask which products there are records of: see {@link withoutProducts}. */
export const asksProducts = ({ request, scope, query }: Plan, span: Span): boolean => {
  if (request.aggregations.length === 0 || scope.productIds.length === 0) return false;
  const left = timeLeft(span, [query]);
  return left.to - left.from > short;
};

/**
 * The scope without its products, where its devices have records of no other: PostgreSQL takes one condition that follows from
 * another for chance, expects too few records and looks up one by one what is better read from end to end.
 */
export const withoutProducts = (scope: Scope, { products }: Sources): Scope => {
  const named = new Set<string | null>(scope.productIds);
  return products.length > 0 && products.every((id) => named.has(id)) ? { ...scope, productIds: [] } : scope;
};

/** Whether the page is read in the order of time, so that products can be read one by one: see {@link wholeProducts}. */
export const pagesByTime = ({ scope, predicates, sort, request: { from, size } }: Plan): boolean =>
  isByTime({ scope, predicates, sort, from, size });

/** The products of a scope, where nearly all records of each are in it: a device may have come since the last rollup. */
export const wholeProducts = ({ productIds, deviceIds }: Scope, { products, whole }: Sources): string[] | undefined => {
  const ids = productIds.length === 0 ? products : productIds;
  const wholeIds = ids.filter((id) => id !== null && whole.has(id)) as string[];
  return ids.length > 0 && wholeIds.length === ids.length && ids.length < deviceIds.length ? wholeIds : undefined;
};

/** How many records match, where a page that is not full shows it. @param shown how many hits the page has. */
export const totalShown = ({ cursor, request: { from, size } }: Plan, shown: number): number | undefined =>
  cursor === undefined && shown < size && (shown > 0 || from === 0) ? from + shown : undefined;

const rollupRequestOf = ({ request, query, scope, fields, range, now }: Plan, span: Span): RollupRequest => ({
  aggregations: request.aggregations,
  query,
  productIds: scope.productIds,
  fields,
  span,
  range,
  now,
});

/** The time that the records after a cursor can be in. */
const untilCursor = (
  span: Span,
  [first]: readonly BoundKey[],
  { searchAfter }: Pick<SearchRequest, 'searchAfter'>,
  now: number,
): Span => {
  if (searchAfter === undefined || first?.type !== 'timestamp' || !first.descending) return span;
  const reached = Date.parse(cursorInstant(searchAfter.items()[0]!, now));
  // A timestamp beyond the calendar reads as no number.
  return reached < span.to ? { ...span, to: Math.ceil(reached) + 1 } : span;
};

/** What a query leaves of a span, where no aggregation looks beyond the query. */
const spanLeft = (span: Span, aggregations: readonly Aggregation[], query: Predicate): Span => {
  if (aggregations.some(({ kind }) => kind === 'global')) return span;
  const { from, to } = timeLeft(span, [query]);
  // A timestamp beyond the calendar reads as no number.
  return from <= to ? { from: Math.floor(from), to: Math.ceil(to) } : span;
};

/** Records are from 2000 on and at most a day ahead, whatever was asked for. */
const earliest = Date.UTC(1999, 11, 30);
const ahead = 3 * 86_400_000;
const spanOf = ({ fromMillis, toMillis }: TimeRange, now: number): Span => {
  const from = Math.min(Math.max(fromMillis, earliest), now + ahead);
  return { from: Math.floor(from), to: Math.ceil(Math.max(from, Math.min(toMillis, now + ahead))) };
};
