import { dayMs, hourMs } from '#common/time.js';
import { maxDigested, maxMeasured } from '#records/postgres/summary.js';
import type { Aggregation } from '#search/aggregation/aggregation.js';
import type { Field, Fields } from '#search/field/field.js';
import type { InstantRange } from '#search/instant-range.js';
import { instantText } from '#search/query/option/instant.js';
import type { Predicate } from '#search/query/predicate.js';
import { declaringProducts, type NumberSlot, valueSlots } from '../sql/stored-field.js';
import { combineNeeds, countOnly, type Need, needOf, needOfPredicate } from './need.js';
import { daysAmong, daysOf, fewestDays, type MillisRange, replacedOf, weeksOf, without } from './rollup-days.js';
import { isMostlyLeftOut, type LeftOut, type RollupRange, type Stale } from './rollup-range.js';
import type { Sources } from './sources.js';

/** Minimum number of whole hours. Fewer are as fast to read from the records. */
const fewestHours = 2;

/** Maximum number of stale hours. With more, reading only the records is faster. */
export const maxStale = 500;

/** Returns the maximum number of days without summaries that are looked for. Blocks may count their records by value. */
export const maxDays = ({ key }: Need): number => (key ? 20_000 : maxStale);

/**
 * Length of the tail before now, in milliseconds. Stale hours are mostly those still in progress. If all stale hours
 * began within the tail, everything from the first of them on is read from the records.
 */
const tail = 3 * hourMs;

/** Length of the tail for days, in milliseconds: the current day and the one that has just ended. */
const tailDays = 2 * dayMs;

/** Aggregations, query and scope that rollups might answer. */
export interface RollupRequest {
  readonly aggregations: readonly Aggregation[];
  readonly query: Predicate;
  /** Empty: every product, and records without a product. */
  readonly productIds: readonly string[];
  readonly fields: Fields;
  /**
   * `span` is the time that records can be in, in milliseconds. `range` is the requested time in milliseconds, to the
   * microsecond.
   */
  readonly span: InstantRange;
  readonly range: { readonly fromMillis: number; readonly toMillis: number };
  /** Current time in milliseconds. */
  readonly now: number;
  /** Whether distinct values may be counted by sketches. */
  readonly sketched?: boolean;
  /** Whether sums of blocks may be read. */
  readonly blocks?: boolean;
}

/**
 * A microsecond in milliseconds. It turns an inclusive end into an exclusive one, because records are stored to the
 * microsecond.
 */
const microsecond = 0.001;

/**
 * Hours that rollups can answer as far as the request alone shows; {@link rollupRange} then decides which rollups are
 * read.
 */
export interface Candidate extends Need {
  readonly from: number;
  readonly to: number;
  /** The requested time, which may begin or end inside an hour. */
  readonly within: MillisRange;
}

/**
 * Returns the hours that rollups could answer; undefined if they cannot answer the whole request. Rollups serve
 * aggregations by whole hours (in any zone whose offset is in whole hours), by device, by fields of the device, or by
 * product, with metrics that can be added up and pipelines over them. The query may only filter by time, device and
 * product. One text or boolean may also be used; only whole days are then read.
 */
export const rollupCandidate = ({
  aggregations,
  query,
  fields,
  span,
  range,
  now,
  sketched = false,
}: RollupRequest): Candidate | undefined => {
  if (aggregations.length === 0) return undefined;
  const need = combineNeeds([needOf(aggregations, { fields, now, span, sketched }), needOfQuery(query)]);
  const whole = {
    from: Math.max(span.from, range.fromMillis),
    // There are no records after the span, so its last hour can be read as a whole.
    until: range.toMillis <= span.to ? range.toMillis + microsecond : (Math.floor(span.to / hourMs) + 1) * hourMs,
  };
  const within = need && restrict(whole, query);
  if (!need || !within || (isByDay(need) && need.hours)) return undefined;
  const unit = isByDay(need) ? dayMs : hourMs;
  const from = Math.ceil(within.from / unit) * unit;
  const to = Math.floor(within.until / unit) * unit;
  if (to - from < (isByDay(need) ? fewestDays * dayMs : fewestHours * hourMs)) return undefined;
  return { ...need, from, to, within };
};

/** Whether the rollups needed exist only by the day. */
export const isByDay = ({ key, digests, sketches }: Need): boolean =>
  key !== undefined || digests === true || sketches === true;

/** Returns, for each product, the slot of the value that distinguishes records. */
export const keysOf = ({ key }: Candidate): readonly NumberSlot[] | undefined => key && (valueSlots(key) ?? []);

/** Returns the products whose rollups a candidate needs device by device; null stands for records without a product. */
export const productsApart = (
  request: Pick<RollupRequest, 'productIds'>,
  { devices }: Candidate,
  sources: Sources,
): readonly (string | null)[] =>
  productsOf(request, sources).filter((id) => devices || id === null || !sources.whole.has(id));

/** Returns the products of a request; all that have records if it names none. */
const productsOf = (
  { productIds }: Pick<RollupRequest, 'productIds'>,
  { products }: Sources,
): readonly (string | null)[] => (productIds.length === 0 ? products : productIds);

/**
 * Chooses the rollups to read for a candidate; undefined if a product in scope may have values that no rollup holds.
 * @param unsummarized days of products that have no rows by the value of the candidate's key
 * @param leftOut rollups that {@link productsApart} lack
 */
export const rollupRange = (
  request: RollupRequest,
  candidate: Candidate,
  sources: Sources,
  unsummarized: readonly Stale[] = [],
  leftOut: LeftOut = {},
): RollupRange | undefined => {
  const { fields, hours, key, from, to: end, within } = candidate;
  const { stale, staleDays } = sources;
  const inScope = productsOf(request, sources);
  const apart = productsApart(request, candidate, sources);
  const declares = (field: Field) => {
    const declaring = declaringProducts(field);
    return inScope.every((id) => id !== null && declaring.includes(id));
  };
  if (inScope.length === 0 || ![...fields, ...(key ? [key] : [])].every(declares)) return undefined;
  const keys = keysOf(candidate);
  const all = fields.flatMap((field) => (valueSlots(field) ?? []).map(({ slot }) => slot));
  // Slots of texts are left out: the key itself is counted together with the records.
  const slots = [...new Set(key ? all.filter((slot) => slot > 0) : all)];
  if (Math.max(unsummarized.length, leftOut.days?.length ?? 0) > maxDays(candidate)) return undefined;
  const byDay = isByDay(candidate);
  if (keys && !isSummarized(inScope, keys)) return undefined;
  if (byDay && !fields.every((field) => isMeasured(field, candidate))) return undefined;
  const staleHours = startsIn(inScope, stale, { from, until: end });
  const unread = byDay
    ? daysAmong([...staleHours, ...unsummarized, ...(leftOut.days ?? [])], { from, until: end }, inScope)
    : staleHours;
  // Blocks count records by value, but do not measure those of each value.
  const counted = keys && slots.length === 0 ? replacedOf(request, sources, leftOut).valid : [];
  const stales = without(unread, counted);
  if (stales.length > maxStale) return undefined;
  const first = Math.min(end, ...stales.map(({ start }) => start));
  const [to, outdated] = first >= request.now - (byDay ? tailDays : tail) ? [first, []] : [end, stales];
  if (to <= from) return undefined;
  if (candidate.sketches && apart.length > 0) return undefined;
  const notMade = apart.flatMap((productId) =>
    (staleDays.get(productId) ?? []).map((seconds) => ({ productId, start: seconds * 1000 })),
  );
  const days =
    hours || byDay || apart.length === 0
      ? undefined
      : daysOf({ from, until: to }, apart, [...outdated, ...notMade], replacedOf(request, sources, leftOut));
  if (apart.length === inScope.length && isMostlyLeftOut({ from, until: to }, leftOut, days)) return undefined;
  const weeks = (candidate.digests || candidate.sketches) && !candidate.days && weeksOf({ from, until: to }, outdated);
  return {
    from: instantText(from),
    to: instantText(to),
    before: within.from < from,
    after: within.until > to,
    end: instantText(Math.ceil(within.until)),
    slots,
    whole: inScope.filter((id): id is string => !apart.includes(id)),
    apart,
    ...(apart.every((id) => id !== null && sources.whole.has(id)) && { everyDevice: true }),
    ...(days && { days }),
    ...(weeks && { weeks }),
    stale: outdated,
    ...(leftOut.hours && { leftOut: leftOut.hours }),
    ...(keys && { keys }),
    ...(counted.length > 0 && { counted: counted.filter(({ start }) => start < to) }),
    ...(candidate.digests && { digests: true }),
    ...(candidate.sketches && { sketches: true }),
  };
};

/** Returns the stale hours of the products in a time span. */
const startsIn = (
  products: readonly (string | null)[],
  stale: Sources['stale'],
  { from, until }: MillisRange,
): Stale[] =>
  products.flatMap((productId) =>
    (stale.get(productId) ?? [])
      .map((seconds) => ({ productId, start: seconds * 1000 }))
      .filter(({ start }) => start >= from && start < until),
  );

/** Whether the key has a slot in every product. */
const isSummarized = (products: readonly (string | null)[], keys: readonly NumberSlot[]): boolean =>
  products.every((id) => keys.some(({ productId }) => productId === id));

/**
 * Whether daily summaries hold a field. They hold the numbers in the first slots and, of the texts, only the key.
 * Sketches also hold the texts in the first slots.
 */
const isMeasured = (field: Field, { key, digests, sketches }: Candidate): boolean => {
  const most = digests || sketches ? maxDigested : maxMeasured;
  const isKept = ({ slot }: NumberSlot) => (slot > 0 || sketches === true) && Math.abs(slot) <= most;
  return field.path === key?.path || (valueSlots(field) ?? []).every(isKept);
};

/** Returns the need of a query, apart from its conditions on time. */
const needOfQuery = (query: Predicate): Need | undefined => {
  if (query.kind === 'and') return combineNeeds(query.of.map(needOfQuery));
  return query.kind === 'range' && query.field.path === 'ts' ? countOnly : needOfPredicate(query);
};

/** Narrows a time span by a query's conditions on time; undefined for timestamps beyond JavaScript's dates. */
const restrict = (range: MillisRange, query: Predicate): MillisRange | undefined => {
  if (query.kind === 'and')
    return query.of.reduce<MillisRange | undefined>((left, part) => left && restrict(left, part), range);
  if (query.kind !== 'range' || query.field.path !== 'ts') return range;
  const { lower, upper } = query;
  const from = lower ? Date.parse(`${lower.value}`) + (lower.inclusive ? 0 : microsecond) : range.from;
  const until = upper ? Date.parse(`${upper.value}`) + (upper.inclusive ? microsecond : 0) : range.until;
  // A timestamp beyond JavaScript's dates is NaN; those queries take the general path.
  if (Number.isNaN(from) || Number.isNaN(until)) return undefined;
  return { from: Math.max(range.from, from), until: Math.min(range.until, until) };
};
