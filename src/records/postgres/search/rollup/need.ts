import { dayMs, hourMs } from '#common/time.js';
import { VariableType } from '#entities/enums.js';
import type { Aggregation } from '#search/aggregation/aggregation.js';
import type { FieldOptions } from '#search/aggregation/aggregation-node.js';
import type { CompositeSource } from '#search/aggregation/composite.js';
import type { SimpleMetric } from '#search/aggregation/metrics.js';
import type { TimeInterval } from '#search/aggregation/option/time-interval.js';
import { isPipeline } from '#search/aggregation/pipeline/pipeline-order.js';
import { uniformMillis } from '#search/date/rounding.js';
import { zoneOf } from '#search/date/zone.js';
import type { Field, Fields } from '#search/field/field.js';
import type { InstantRange } from '#search/instant-range.js';
import { bindQuery } from '#search/query/bind.js';
import type { Predicate } from '#search/query/predicate.js';
import type { Query } from '#search/query/query.js';
import { SearchFailure } from '#search/search-failure.js';
import { scalarText } from '#search/syntax/value.js';
import { numberSlots, valueSlots } from '../sql/stored-field.js';

/** Content of the rollups that a query needs. */
export interface Need {
  /** Fields whose numbers are read, or whose values are counted. */
  readonly fields: readonly Field[];
  /** Whether the rows of each device are needed separately. */
  readonly devices: boolean;
  /** Whether the hours of a day (UTC) are needed separately. */
  readonly hours: boolean;
  /** Whether days (UTC), or hours, are needed separately. */
  readonly days: boolean;
  /** The text or boolean whose values are needed separately. */
  readonly key?: Field;
  /** Whether digests of the numbers are needed. */
  readonly digests?: boolean;
  /** Whether sketches of the values are needed. */
  readonly sketches?: boolean;
}

/** Facts from which the needs of a query are derived. */
export interface NeedContext {
  readonly fields: Fields;
  readonly now: number;
  readonly span: InstantRange;
  /** Whether sketches count distinct values, also those of texts and booleans. */
  readonly sketched?: boolean;
}

/** Need of a query that only counts records. */
export const countOnly: Need = { fields: [], devices: false, hours: false, days: false };

/** Combines needs; undefined if rollups cannot serve one of them, or all of them at once. */
export const combineNeeds = (needs: Iterable<Need | undefined>): Need | undefined => {
  let all: Need = countOnly;
  for (const one of needs) {
    if (one === undefined) return undefined;
    const [key, other] = [all.key ?? one.key, one.key];
    // Rollups count records by the values of one field, not by the combinations of several.
    if (key !== undefined && other !== undefined && key.path !== other.path) return undefined;
    const digests = all.digests || one.digests;
    const sketches = all.sketches || one.sketches;
    if (key && (digests || sketches)) return undefined;
    all = {
      fields: [...all.fields, ...one.fields],
      devices: all.devices || one.devices,
      hours: all.hours || one.hours,
      days: all.days || one.days,
      ...(key && { key }),
      ...(digests && { digests }),
      ...(sketches && { sketches }),
    };
  }
  return all;
};

/** Returns the need of aggregations; undefined if rollups cannot serve one of them. */
export const needOf = (aggregations: readonly Aggregation[], context: NeedContext): Need | undefined =>
  combineNeeds(aggregations.map((aggregation) => needOfOne(aggregation, context)));

const needOfOne = (aggregation: Aggregation, context: NeedContext): Need | undefined => {
  if (isPipeline(aggregation)) return countOnly;
  const inside = (): Need | undefined => {
    const need = 'children' in aggregation ? needOf(aggregation.children, context) : countOnly;
    // SQL sorts the buckets, but cannot compute a metric from the bytes of a digest or sketch.
    const isByMetric =
      'order' in aggregation && aggregation.order.some(({ path }) => path !== '_count' && path !== '_key');
    return (need?.digests || need?.sketches) && isByMetric ? undefined : need;
  };
  switch (aggregation.kind) {
    case 'avg':
    case 'sum':
    case 'min':
    case 'max':
    case 'stats':
    case 'extended_stats':
    case 'value_count': {
      const field = aggregation.missing ? undefined : fieldOf(context, aggregation.field);
      const slots = field && (aggregation.kind === 'value_count' ? valueSlots(field) : numberSlots(field));
      return field && slots && { ...countOnly, fields: [field] };
    }
    case 'median_absolute_deviation':
    case 'percentiles':
    case 'percentile_ranks': {
      const field = aggregation.missing || aggregation.finer ? undefined : fieldOf(context, aggregation.field);
      return field && numberSlots(field) && { ...countOnly, fields: [field], digests: true };
    }
    case 'cardinality':
      return needOfValues(aggregation, context);
    case 'date_histogram':
      return combineNeeds([needOfTime(aggregation, context), inside()]);
    case 'terms':
      // With a minimum count of 0, terms also come from records that do not match the query.
      return aggregation.minDocCount === 0 ? undefined : combineNeeds([needOfKey(aggregation, context), inside()]);
    case 'rare_terms':
    case 'missing':
      return combineNeeds([needOfKey(aggregation, context), inside()]);
    case 'multi_terms':
      return aggregation.minDocCount === 0
        ? undefined
        : combineNeeds([...aggregation.terms.map((one) => needOfKey(one, context)), inside()]);
    case 'composite':
      return combineNeeds([...aggregation.sources.map((one) => needOfSource(one, context)), inside()]);
    case 'filter':
      return combineNeeds([needOfQuery(aggregation.filter, context), inside()]);
    case 'filters':
      return combineNeeds([...aggregation.filters.map(({ query }) => needOfQuery(query, context)), inside()]);
    default:
      return undefined;
  }
};

const needOfKey = ({ field: path }: FieldOptions, context: NeedContext): Need | undefined => {
  const field = fieldOf(context, path);
  return field && needOfField(field);
};

/**
 * Returns the need of a count of distinct values. Each value of a text or boolean is needed separately, unless sketches
 * count them.
 */
const needOfValues = ({ field: path, missing, finer }: SimpleMetric, context: NeedContext): Need | undefined => {
  const field = fieldOf(context, path);
  const counted = field && needOfField(field);
  if (counted && !(counted.key && context.sketched)) return counted;
  const isSketched = context.sketched && field && valueSlots(field) && !missing && !finer && !isInt64(field);
  return isSketched ? { ...countOnly, fields: [field], sketches: true } : undefined;
};

/** Whether values may be whole numbers that a double cannot represent. */
const isInt64 = ({ origin }: Field): boolean =>
  origin.kind === 'declared' && origin.variables.some(({ type }) => type === VariableType.INT64);

const needOfSource = (source: CompositeSource, context: NeedContext): Need | undefined => {
  if (source.by === 'terms') return needOfKey(source, context);
  return source.by === 'date_histogram' ? needOfTime(source, context) : undefined;
};

const needOfQuery = (query: Query, { fields, now }: NeedContext): Need | undefined =>
  orUndefined(() => needOfPredicate(bindQuery(query, { fields, now })));

/** Returns the need of the conditions of a query other than those on time. */
export const needOfPredicate = (predicate: Predicate): Need | undefined => {
  if (predicate.kind === 'existsUnder') return undefined;
  if (predicate.kind === 'not') return needOfPredicate(predicate.of);
  if ('of' in predicate) return combineNeeds(predicate.of.map(needOfPredicate));
  return 'field' in predicate ? needOfField(predicate.field) : countOnly;
};

/** Returns the need for distinguishing records by a field. */
const needOfField = (field: Field): Need | undefined => {
  if (isOfDevices(field)) return { ...countOnly, devices: variesByDevice(field) };
  const isKey = field.kind === 'keyword' || field.kind === 'boolean';
  return isKey && valueSlots(field) ? { ...countOnly, key: field } : undefined;
};

/** Whether the device and the product alone determine the field's value. */
const isOfDevices = (field: Field): boolean => field.ofDevice || /^(device|(device\.)?product)\.id$/.test(field.path);

/** Whether devices of the same product may differ in the field. */
const variesByDevice = (field: Field): boolean => !field.path.endsWith('product.id');

/**
 * Returns the field at a path; undefined for an unknown one. The general path answers those queries, and also those
 * whose products disagree on the type.
 */
const fieldOf = ({ fields }: NeedContext, path: string): Field | undefined => orUndefined(() => fields.find(path));

/** Returns undefined for a SearchFailure: the general path then reports the error. */
const orUndefined = <T>(find: () => T | undefined): T | undefined => {
  try {
    return find();
  } catch (error) {
    if (error instanceof SearchFailure) return undefined;
    throw error;
  }
};

/**
 * Returns the need of time buckets. Buckets of whole days (UTC) need days only; buckets of whole hours need hours;
 * rollups cannot serve others.
 */
const needOfTime = (options: TimeInterval & FieldOptions, { span }: NeedContext): Need | undefined => {
  const { field, missing, offset, timeZone, interval } = options;
  if (field !== 'ts' || missing || offset) return undefined;
  // Months, quarters and years begin at the start of a day.
  const millis = uniformMillis(interval) ?? dayMs;
  const zone = timeZone && zoneOf(scalarText(timeZone) ?? '');
  if (timeZone && !zone) return undefined;
  const offsets = zone
    ? [zone.offsetAt(span.from), ...zone.transitions(span.from, span.to).map(({ after }) => after)]
    : [0];
  const made = (unit: number) => millis % unit === 0 && offsets.every((one) => one % unit === 0);
  if (made(dayMs)) return { ...countOnly, days: true };
  return made(hourMs) ? { ...countOnly, hours: true, days: true } : undefined;
};
