import type { Aggregation } from '../../../../search/aggregation/aggregation.js';
import type { Field, Fields } from '../../../../search/field/field.js';
import { instantText } from '../../../../search/query/option/instant.js';
import type { Predicate } from '../../../../search/query/predicate.js';
import type { Span } from '../../../../search/span.js';
import { maxDigested, maxMeasured } from '../../summary.js';
import { week, weekStart } from '../../week.js';
import { declaringProducts, type NumberSlot, valueSlots } from '../sql/stored-field.js';
import { day, hour, type Need, needOf, needOfPredicate, nothing, together } from './need.js';
import type { RollupRange, Stale } from './range.js';
import type { Sources } from './sources.js';

/** Fewer whole hours than this are as quickly read from the records. */
const fewestHours = 2;

/** With more hours out of date than this, reading the records alone is quicker. */
export const maxStale = 500;

/** Hours that are out of date are mostly those under way: where all are of so little time, in milliseconds, that is read from the records. */
const tail = 3 * hour;

/** The same of days: those under way, and those that are just over. */
const tailDays = 2 * day;

/** Fewer whole days than this are as quickly read by the hour, and so are all where more are out of date. */
const fewestDays = 3;

const maxStaleDays = 500;

/** What is asked, and over what. */
export interface RollupRequest {
  readonly aggregations: readonly Aggregation[];
  readonly query: Predicate;
  /** Empty: every product, and records of none. */
  readonly productIds: readonly string[];
  readonly fields: Fields;
  /** The time that records can be in, in milliseconds, and the ends of the time asked for, to the microsecond. */
  readonly span: Span;
  readonly range: { readonly fromMillis: number; readonly toMillis: number };
  /** The present moment, in milliseconds. */
  readonly now: number;
  /** Whether different values may be counted by sketches. */
  readonly sketched?: boolean;
}

/** A stretch of time in milliseconds; its end is not in it. */
interface TimeSpan {
  readonly from: number;
  readonly until: number;
}

/** What an end that is in the range leaves out at most: records are stored to the microsecond. */
const microsecond = 0.001;

/** Hours that rollups can answer for, as far as the question tells; {@link rollupRange} says whose rollups serve. */
export interface Candidate extends Need {
  readonly from: number;
  readonly to: number;
  /** The time asked for, whose ends may be in no whole hour. */
  readonly within: TimeSpan;
}

/**
 * The hours that rollups could answer for, where they could answer all that is asked: aggregations by whole hours (in any zone
 * that keeps to them), device, what is known of devices, or product, with metrics that add up and pipelines over them; and a
 * query about nothing but time, device and product. One text or boolean may be told apart too, by whole days then.
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
  const need = together([needOf(aggregations, { fields, now, span, sketched }), needOfQuery(query)]);
  const whole = {
    from: Math.max(span.from, range.fromMillis),
    // Beyond the end of the span are no records: its last hour can be taken whole.
    until: range.toMillis <= span.to ? range.toMillis + microsecond : (Math.floor(span.to / hour) + 1) * hour,
  };
  const within = need && restrict(whole, query);
  if (!need || !within || (isByDay(need) && need.hours)) return undefined;
  const unit = isByDay(need) ? day : hour;
  const from = Math.ceil(within.from / unit) * unit;
  const to = Math.floor(within.until / unit) * unit;
  if (to - from < (isByDay(need) ? fewestDays * day : fewestHours * hour)) return undefined;
  return { ...need, from, to, within };
};

/** Whether what is needed is kept by the day alone. */
export const isByDay = ({ key, digests, sketches }: Need): boolean =>
  key !== undefined || digests === true || sketches === true;

/** Where rollups have the values by which records are told apart, of each product. */
export const keysOf = ({ key }: Candidate): readonly NumberSlot[] | undefined => key && (valueSlots(key) ?? []);

/**
 * The rollups to read for a candidate; undefined where a product in scope may have values that are in none.
 * @param unsummarized days of products that have no rows by the value of the candidate's key.
 */
export const rollupRange = (
  { productIds, now }: RollupRequest,
  candidate: Candidate,
  { products, whole, stale, staleDays }: Sources,
  unsummarized: readonly Stale[] = [],
): RollupRange | undefined => {
  const { fields, devices, hours, key, from, to: end, within } = candidate;
  const inScope = productIds.length === 0 ? products : productIds;
  const declares = (field: Field) => {
    const declaring = declaringProducts(field);
    return inScope.every((id) => id !== null && declaring.includes(id));
  };
  if (inScope.length === 0 || ![...fields, ...(key ? [key] : [])].every(declares)) return undefined;
  const keys = keysOf(candidate);
  const all = fields.flatMap((field) => (valueSlots(field) ?? []).map(({ slot }) => slot));
  // The key itself is counted with the records.
  const slots = [...new Set(key ? all.filter((slot) => slot > 0) : all)];
  if (unsummarized.length > maxStale) return undefined;
  const byDay = isByDay(candidate);
  if (keys && !isSummarized(inScope, keys)) return undefined;
  if (byDay && !fields.every((field) => isMeasured(field, candidate))) return undefined;
  const staleHours = startsIn(inScope, stale, { from, until: end });
  const stales = byDay ? daysAmong([...staleHours, ...unsummarized], { from, until: end }, inScope) : staleHours;
  if (stales.length > maxStale) return undefined;
  const first = Math.min(end, ...stales.map(({ start }) => start));
  const [to, outdated] = first >= now - (byDay ? tailDays : tail) ? [first, []] : [end, stales];
  if (to <= from) return undefined;
  const isWhole = (id: string | null): id is string => !devices && id !== null && whole.has(id);
  const apart = inScope.filter((id) => !isWhole(id));
  if (candidate.sketches && apart.length > 0) return undefined;
  const notMade = apart.flatMap((productId) =>
    (staleDays.get(productId) ?? []).map((seconds) => ({ productId, start: seconds * 1000 })),
  );
  const days = hours || byDay || apart.length === 0 ? undefined : daysOf({ from, until: to }, apart, outdated, notMade);
  const weeks = (candidate.digests || candidate.sketches) && !candidate.days && weeksOf({ from, until: to }, outdated);
  return {
    from: instantText(from),
    to: instantText(to),
    before: within.from < from,
    after: within.until > to,
    end: instantText(Math.ceil(within.until)),
    slots,
    whole: inScope.filter(isWhole),
    apart,
    ...(apart.every((id) => id !== null && whole.has(id)) && { everyDevice: true }),
    ...(days && { days }),
    ...(weeks && { weeks }),
    stale: outdated,
    ...(keys && { keys }),
    ...(candidate.digests && { digests: true }),
    ...(candidate.sketches && { sketches: true }),
  };
};

/** The hours of some products in a stretch that are out of date. */
const startsIn = (products: readonly (string | null)[], stale: Sources['stale'], { from, until }: TimeSpan): Stale[] =>
  products.flatMap((productId) =>
    (stale.get(productId) ?? [])
      .map((seconds) => ({ productId, start: seconds * 1000 }))
      .filter(({ start }) => start >= from && start < until),
  );

/** Whether a key has a place in every product. */
const isSummarized = (products: readonly (string | null)[], keys: readonly NumberSlot[]): boolean =>
  products.every((id) => keys.some(({ productId }) => productId === id));

/** Whether summaries measure a field: numbers of the first slots, and of texts the key alone, or the first beside sketches. */
const isMeasured = (field: Field, { key, digests, sketches }: Candidate): boolean => {
  const most = digests || sketches ? maxDigested : maxMeasured;
  const isKept = ({ slot }: NumberSlot) => (slot > 0 || sketches === true) && Math.abs(slot) <= most;
  return field.path === key?.path || (valueSlots(field) ?? []).every(isKept);
};

/** The days of some hours or days of products, each once, that are in a stretch. */
const daysAmong = (
  some: readonly Stale[],
  { from, until }: TimeSpan,
  products: readonly (string | null)[],
): Stale[] => {
  const found = some
    .map(({ productId, start }) => ({ productId, start: Math.floor(start / day) * day }))
    .filter(({ productId, start }) => start >= from && start < until && products.includes(productId));
  return [...new Map(found.map((one) => [`${one.productId}/${one.start}`, one])).values()];
};

/** The whole days of a stretch; undefined where they are too few, or too many of them out of date. */
const daysOf = (
  stretch: TimeSpan,
  products: readonly (string | null)[],
  hours: readonly Stale[],
  days: readonly Stale[],
): RollupRange['days'] => {
  const from = Math.ceil(stretch.from / day) * day;
  const to = Math.floor(stretch.until / day) * day;
  if (to - from < fewestDays * day) return undefined;
  const outdated = daysAmong([...days, ...hours], { from, until: to }, products);
  return outdated.length > maxStaleDays ? undefined : { from: instantText(from), to: instantText(to), stale: outdated };
};

/** The whole weeks of a stretch, and those of them with a day that is out of date; undefined where there are none. */
const weeksOf = ({ from, until }: TimeSpan, outdated: readonly Stale[]): RollupRange['weeks'] => {
  const [first, end] = [weekStart(from + week - 1), weekStart(until)];
  if (end <= first) return undefined;
  const stale = outdated.map(({ productId, start }) => ({ productId, start: weekStart(start) }));
  return { from: instantText(first), to: instantText(end), stale };
};

/** What it takes to tell which records match a query, beside their time. */
const needOfQuery = (query: Predicate): Need | undefined => {
  if (query.kind === 'and') return together(query.of.map(needOfQuery));
  return query.kind === 'range' && query.field.path === 'ts' ? nothing : needOfPredicate(query);
};

/** The time that a query leaves of a stretch; undefined beyond the calendar. */
const restrict = (stretch: TimeSpan, query: Predicate): TimeSpan | undefined => {
  if (query.kind === 'and')
    return query.of.reduce<TimeSpan | undefined>((left, part) => left && restrict(left, part), stretch);
  if (query.kind !== 'range' || query.field.path !== 'ts') return stretch;
  const { lower, upper } = query;
  const from = lower ? Date.parse(`${lower.value}`) + (lower.inclusive ? 0 : microsecond) : stretch.from;
  const until = upper ? Date.parse(`${upper.value}`) + (upper.inclusive ? microsecond : 0) : stretch.until;
  // A moment beyond the calendar reads as no number: such a query goes the usual road.
  if (Number.isNaN(from) || Number.isNaN(until)) return undefined;
  return { from: Math.max(stretch.from, from), until: Math.min(stretch.until, until) };
};
