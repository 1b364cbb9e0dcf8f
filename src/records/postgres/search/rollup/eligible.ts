import type { Aggregation } from '../../../../search/aggregation/aggregation.js';
import type { Field, Fields } from '../../../../search/field/field.js';
import { instantText } from '../../../../search/query/option/instant.js';
import { fieldsOf, type Predicate } from '../../../../search/query/predicate.js';
import type { Span } from '../../../../search/span.js';
import { declaringProducts, numberSlots } from '../sql/stored-field.js';
import { day, hour, isOfDevices, type Need, needOf, tellsApart } from './need.js';
import type { RollupRange, Stale } from './range.js';
import type { Sources } from './sources.js';

/** Fewer whole hours than this are as quickly read from the records. */
const fewestHours = 2;

/** With more hours out of date than this, reading the records alone is quicker. */
const maxStale = 500;

/** Hours that are out of date are mostly those under way: where all are of so little time, in milliseconds, that is read from the records. */
const tail = 3 * hour;

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
 * query about nothing but time, device and product.
 */
export const rollupCandidate = ({ aggregations, query, fields, span, range }: RollupRequest): Candidate | undefined => {
  if (aggregations.length === 0) return undefined;
  const need = needOf(aggregations, fields, span);
  const whole = {
    from: Math.max(span.from, range.fromMillis),
    // Beyond the end of the span are no records: its last hour can be taken whole.
    until: range.toMillis <= span.to ? range.toMillis + microsecond : (Math.floor(span.to / hour) + 1) * hour,
  };
  const within = need && restrict(whole, query);
  if (!need || !within) return undefined;
  const from = Math.ceil(within.from / hour) * hour;
  const to = Math.floor(within.until / hour) * hour;
  if (to - from < fewestHours * hour) return undefined;
  return { ...need, devices: need.devices || tellsDevices(query), from, to, within };
};

/** The rollups to read for a candidate; undefined where a product in scope may have values that are in none. */
export const rollupRange = (
  { productIds, now }: RollupRequest,
  { fields, devices, hours, from, to: end, within }: Candidate,
  { products, whole, stale, staleDays }: Sources,
): RollupRange | undefined => {
  const inScope = productIds.length === 0 ? products : productIds;
  const declares = (field: Field) => {
    const declaring = declaringProducts(field);
    return inScope.every((id) => id !== null && declaring.includes(id));
  };
  if (inScope.length === 0 || !fields.every(declares)) return undefined;
  const stales = inScope.flatMap((productId) =>
    (stale.get(productId) ?? [])
      .map((seconds) => ({ productId, start: seconds * 1000 }))
      .filter(({ start }) => start >= from && start < end),
  );
  if (stales.length > maxStale) return undefined;
  const first = Math.min(end, ...stales.map(({ start }) => start));
  const [to, outdated] = first >= now - tail ? [first, []] : [end, stales];
  if (to <= from) return undefined;
  const isWhole = (id: string | null): id is string => !devices && id !== null && whole.has(id);
  const apart = inScope.filter((id) => !isWhole(id));
  const notMade = apart.flatMap((productId) =>
    (staleDays.get(productId) ?? []).map((seconds) => ({ productId, start: seconds * 1000 })),
  );
  const days = hours || apart.length === 0 ? undefined : daysOf({ from, until: to }, outdated, notMade);
  return {
    from: instantText(from),
    to: instantText(to),
    before: within.from < from,
    after: within.until > to,
    end: instantText(Math.ceil(within.until)),
    slots: [...new Set(fields.flatMap((field) => (numberSlots(field) ?? []).map(({ slot }) => slot)))],
    whole: inScope.filter(isWhole),
    apart,
    ...(days && { days }),
    stale: outdated,
  };
};

/** The whole days of a stretch; undefined where they are too few, or too many of them out of date. */
const daysOf = (stretch: TimeSpan, hours: readonly Stale[], days: readonly Stale[]): RollupRange['days'] => {
  const from = Math.ceil(stretch.from / day) * day;
  const to = Math.floor(stretch.until / day) * day;
  if (to - from < fewestDays * day) return undefined;
  const outdated = new Map(
    [...days, ...hours]
      .map(({ productId, start }) => ({ productId, start: Math.floor(start / day) * day }))
      .filter(({ start }) => start >= from && start < to)
      .map((one) => [`${one.productId}/${one.start}`, one]),
  );
  return outdated.size > maxStaleDays
    ? undefined
    : { from: instantText(from), to: instantText(to), stale: [...outdated.values()] };
};

/** Whether a query tells devices of one product apart. */
const tellsDevices = (query: Predicate): boolean =>
  fieldsOf(query).some((field) => isOfDevices(field) && tellsApart(field));

/** Whether a query is about nothing but devices and products. */
const isAboutDevices = (query: Predicate): boolean => {
  if (query.kind === 'existsUnder') return false;
  if (query.kind === 'not') return isAboutDevices(query.of);
  if ('of' in query) return query.of.every(isAboutDevices);
  return 'field' in query ? isOfDevices(query.field) : true;
};

/** The time that a query leaves of a stretch; undefined where it asks for more than time, device and product. */
const restrict = (stretch: TimeSpan, query: Predicate): TimeSpan | undefined => {
  switch (query.kind) {
    case 'all':
      return stretch;
    case 'and':
      return query.of.reduce<TimeSpan | undefined>((left, part) => left && restrict(left, part), stretch);
    case 'range': {
      if (query.field.path !== 'ts') return isAboutDevices(query) ? stretch : undefined;
      const { lower, upper } = query;
      const from = lower ? Date.parse(`${lower.value}`) + (lower.inclusive ? 0 : microsecond) : stretch.from;
      const until = upper ? Date.parse(`${upper.value}`) + (upper.inclusive ? microsecond : 0) : stretch.until;
      // A moment beyond the calendar reads as no number: such a query goes the usual road.
      if (Number.isNaN(from) || Number.isNaN(until)) return undefined;
      return { from: Math.max(stretch.from, from), until: Math.min(stretch.until, until) };
    }
    default:
      return isAboutDevices(query) ? stretch : undefined;
  }
};
