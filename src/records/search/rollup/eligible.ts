import type { Aggregation, DateHistogramAggregation } from '../aggregation/aggregation.js';
import type { Span } from '../aggregation/date-bucket.js';
import { calendarInterval, fixedInterval } from '../aggregation/interval.js';
import { uniformMillis } from '../date/rounding.js';
import { zoneOf } from '../date/zone.js';
import type { Field, Fields } from '../field/field.js';
import { timestamp } from '../query/bind-term.js';
import { type Predicate } from '../query/predicate.js';
import { scalarText } from '../syntax/value.js';
import type { RollupRange } from './source.js';

const hour = 3_600_000;

/** Fewer whole hours than this are as quickly read from the records. */
const fewestHours = 2;

/** What is asked, and over what. */
export interface Asked {
  readonly aggregations: readonly Aggregation[];
  readonly query: Predicate;
  readonly productIds: readonly string[];
  readonly fields: Fields;
  /** The time that records can be in, in milliseconds, and the ends of the time asked for, to the microsecond. */
  readonly span: Span;
  readonly range: { readonly fromMillis: number; readonly toMillis: number };
}

/** A stretch of time in milliseconds; its end is not in it. */
interface Stretch {
  readonly from: number;
  readonly until: number;
}

/** What an end that is in the range leaves out at most: records are stored to the microsecond. */
const microsecond = 0.001;

/**
 * The hours that rollups can answer for, where they can answer all that is asked: aggregations by whole hours (in any zone
 * that keeps to them), device or product, with metrics that add up, over variables that every product in scope declares; and
 * a query about nothing but time, device and product.
 */
export const rollupRange = ({
  aggregations,
  query,
  productIds,
  fields,
  span,
  range,
}: Asked): RollupRange | undefined => {
  if (aggregations.length === 0 || productIds.length === 0) return undefined;
  const slots = slotsOf(aggregations, fields, span);
  const whole = {
    from: Math.max(span.from, range.fromMillis),
    until: Math.min(span.to, range.toMillis) + microsecond,
  };
  const within = slots && restrict(whole, query);
  if (!slots || !within) return undefined;
  const from = Math.ceil(within.from / hour) * hour;
  const to = Math.floor(within.until / hour) * hour;
  return to - from < fewestHours * hour ? undefined : { from: timestamp(from), to: timestamp(to), slots };
};

/** The slots that aggregations read; undefined where rollups cannot serve one of them. */
const slotsOf = (aggregations: readonly Aggregation[], fields: Fields, span: Span): number[] | undefined => {
  const slots = new Set<number>();
  for (const aggregation of aggregations) {
    const more = slotsOfOne(aggregation, fields, span);
    if (!more) return undefined;
    for (const slot of more) slots.add(slot);
  }
  return [...slots];
};

const slotsOfOne = (aggregation: Aggregation, fields: Fields, span: Span): number[] | undefined => {
  switch (aggregation.kind) {
    case 'avg':
    case 'sum':
    case 'min':
    case 'max':
    case 'value_count':
    case 'stats':
    case 'extended_stats':
      return aggregation.missing ? undefined : placesOf(fields, aggregation.field)?.map(({ slot }) => slot);
    case 'date_histogram':
      return keepsToHours(aggregation, span) ? slotsOf(aggregation.children, fields, span) : undefined;
    case 'terms':
      return /^(device|product)\.id$/.test(aggregation.field) && !aggregation.missing && aggregation.minDocCount > 0
        ? slotsOf(aggregation.children, fields, span)
        : undefined;
    default:
      return undefined;
  }
};

/** A field that does not exist, or whose products disagree, is the usual road's to answer. */
const placesOf = (fields: Fields, path: string): Field['places'] => {
  try {
    return fields.find(path)?.places;
  } catch {
    return undefined;
  }
};

const keepsToHours = (aggregation: DateHistogramAggregation, span: Span): boolean => {
  const { field, missing, offset, timeZone, fixedInterval: fixed, calendarInterval: calendar } = aggregation;
  if (field !== 'ts' || missing || offset) return false;
  const interval = calendar ? calendarInterval(calendar) : fixed && fixedInterval(fixed);
  if (!interval) return false;
  const millis = uniformMillis(interval) ?? hour;
  const zone = timeZone && zoneOf(scalarText(timeZone) ?? '');
  if (timeZone && !zone) return false;
  const offsets = zone
    ? [zone.offsetAt(span.from), ...zone.transitions(span.from, span.to).map(({ after }) => after)]
    : [0];
  return millis % hour === 0 && offsets.every((one) => one % hour === 0);
};

/** The time that a query leaves of a stretch; undefined where it asks for more than time, device and product. */
const restrict = (stretch: Stretch, query: Predicate): Stretch | undefined => {
  switch (query.kind) {
    case 'all':
      return stretch;
    case 'and':
      return query.of.reduce<Stretch | undefined>((left, part) => left && restrict(left, part), stretch);
    case 'in':
      return /^(device|product)\.id$/.test(query.field.path) ? stretch : undefined;
    case 'range': {
      if (query.field.path !== 'ts') return undefined;
      const { lower, upper } = query;
      const from = lower ? Date.parse(`${lower.value}`) + (lower.inclusive ? 0 : microsecond) : stretch.from;
      const until = upper ? Date.parse(`${upper.value}`) + (upper.inclusive ? microsecond : 0) : stretch.until;
      // A moment beyond the calendar reads as no number: such a query goes the usual road.
      if (Number.isNaN(from) || Number.isNaN(until)) return undefined;
      return { from: Math.max(stretch.from, from), until: Math.min(stretch.until, until) };
    }
    default:
      return undefined;
  }
};
