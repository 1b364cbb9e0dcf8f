import { VariableType } from '../../../../entities/enums.js';
import type { Aggregation } from '../../../../search/aggregation/aggregation.js';
import type { CompositeSource } from '../../../../search/aggregation/composite.js';
import type { FieldOptions } from '../../../../search/aggregation/node.js';
import type { SimpleMetric } from '../../../../search/aggregation/option/simple-metric.js';
import type { TimeInterval } from '../../../../search/aggregation/option/time-interval.js';
import { isPipeline } from '../../../../search/aggregation/pipeline/place.js';
import { uniformMillis } from '../../../../search/date/rounding.js';
import { zoneOf } from '../../../../search/date/zone.js';
import { SearchFailure } from '../../../../search/failure.js';
import type { Field, Fields } from '../../../../search/field/field.js';
import { bindQuery } from '../../../../search/query/bind.js';
import type { Predicate } from '../../../../search/query/predicate.js';
import type { Query } from '../../../../search/query/query.js';
import type { Span } from '../../../../search/span.js';
import { scalarText } from '../../../../search/syntax/value.js';
import { numberSlots, valueSlots } from '../sql/stored-field.js';

/** Milliseconds. */
export const hour = 3_600_000;

/** Milliseconds of a day in UTC. */
export const day = 24 * hour;

/** What rollups are to be read for. */
export interface Need {
  /** The fields whose numbers are read, or whose values are counted. */
  readonly fields: readonly Field[];
  /** Whether devices are told apart. */
  readonly devices: boolean;
  /** Whether hours of a day (UTC) are told apart. */
  readonly hours: boolean;
  /** Whether days (UTC) are told apart, or hours. */
  readonly days: boolean;
  /** The text or the boolean whose values are told apart. */
  readonly key?: Field;
  /** Whether digests of the numbers are read. */
  readonly digests?: boolean;
  /** Whether sketches of the values are read. */
  readonly sketches?: boolean;
}

/** What is known when it is found out what is needed. */
export interface NeedContext {
  readonly fields: Fields;
  readonly now: number;
  readonly span: Span;
  /** Whether different values are counted by sketches, also of texts and booleans. */
  readonly sketched?: boolean;
}

/** Nothing but the number of records. */
export const nothing: Need = { fields: [], devices: false, hours: false, days: false };

/** What several need together; undefined where rollups cannot serve one of them, or not all of them at once. */
export const together = (needs: Iterable<Need | undefined>): Need | undefined => {
  let all: Need = nothing;
  for (const one of needs) {
    if (one === undefined) return undefined;
    const [key, other] = [all.key ?? one.key, one.key];
    // Rollups have records by the values of one field, not by those of several at once.
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

/** What aggregations need; undefined where rollups cannot serve one of them. */
export const needOf = (aggregations: readonly Aggregation[], context: NeedContext): Need | undefined =>
  together(aggregations.map((aggregation) => needOfOne(aggregation, context)));

const needOfOne = (aggregation: Aggregation, context: NeedContext): Need | undefined => {
  if (isPipeline(aggregation)) return nothing;
  const inside = (): Need | undefined => {
    const need = 'children' in aggregation ? needOf(aggregation.children, context) : nothing;
    // Buckets are put in order in SQL, where digests and sketches are bytes.
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
      return field && slots && { ...nothing, fields: [field] };
    }
    case 'median_absolute_deviation':
    case 'percentiles':
    case 'percentile_ranks': {
      const field = aggregation.missing || aggregation.finer ? undefined : fieldOf(context, aggregation.field);
      return field && numberSlots(field) && { ...nothing, fields: [field], digests: true };
    }
    case 'cardinality':
      return needOfValues(aggregation, context);
    case 'date_histogram':
      return together([needOfTime(aggregation, context), inside()]);
    case 'terms':
      // Terms of no record that matches come from records that do not.
      return aggregation.minDocCount === 0 ? undefined : together([needOfKey(aggregation, context), inside()]);
    case 'rare_terms':
    case 'missing':
      return together([needOfKey(aggregation, context), inside()]);
    case 'multi_terms':
      return aggregation.minDocCount === 0
        ? undefined
        : together([...aggregation.terms.map((one) => needOfKey(one, context)), inside()]);
    case 'composite':
      return together([...aggregation.sources.map((one) => needOfSource(one, context)), inside()]);
    case 'filter':
      return together([needOfQuery(aggregation.filter, context), inside()]);
    case 'filters':
      return together([...aggregation.filters.map(({ query }) => needOfQuery(query, context)), inside()]);
    default:
      return undefined;
  }
};

const needOfKey = ({ field: path }: FieldOptions, context: NeedContext): Need | undefined => {
  const field = fieldOf(context, path);
  return field && toldApart(field);
};

/** What it takes to count different values: those of a text or a boolean are told apart, where they are not sketched. */
const needOfValues = ({ field: path, missing, finer }: SimpleMetric, context: NeedContext): Need | undefined => {
  const field = fieldOf(context, path);
  const counted = field && toldApart(field);
  if (counted && !(counted.key && context.sketched)) return counted;
  const isSketched = context.sketched && field && valueSlots(field) && !missing && !finer && !isInt64(field);
  return isSketched ? { ...nothing, fields: [field], sketches: true } : undefined;
};

/** Whether values may be whole numbers that a double does not hold. */
const isInt64 = ({ origin }: Field): boolean =>
  origin.kind === 'declared' && origin.variables.some(({ type }) => type === VariableType.INT64);

const needOfSource = (source: CompositeSource, context: NeedContext): Need | undefined => {
  if (source.by === 'terms') return needOfKey(source, context);
  return source.by === 'date_histogram' ? needOfTime(source, context) : undefined;
};

const needOfQuery = (query: Query, { fields, now }: NeedContext): Need | undefined =>
  orUndefined(() => needOfPredicate(bindQuery(query, { fields, now })));

/** What it takes to tell which records match, where time does not matter. */
export const needOfPredicate = (predicate: Predicate): Need | undefined => {
  if (predicate.kind === 'existsUnder') return undefined;
  if (predicate.kind === 'not') return needOfPredicate(predicate.of);
  if ('of' in predicate) return together(predicate.of.map(needOfPredicate));
  return 'field' in predicate ? toldApart(predicate.field) : nothing;
};

/** What it takes to tell records apart by a field. */
const toldApart = (field: Field): Need | undefined => {
  if (isOfDevices(field)) return { ...nothing, devices: tellsApart(field) };
  const isKey = field.kind === 'keyword' || field.kind === 'boolean';
  return isKey && valueSlots(field) ? { ...nothing, key: field } : undefined;
};

/** Whether a field is told by the device and the product alone. */
const isOfDevices = (field: Field): boolean => field.ofDevice || /^(device|(device\.)?product)\.id$/.test(field.path);

/** Whether a field may differ between devices of one product. */
const tellsApart = (field: Field): boolean => !field.path.endsWith('product.id');

/** A field that does not exist, or whose products disagree, is the usual road's to answer. */
const fieldOf = ({ fields }: NeedContext, path: string): Field | undefined => orUndefined(() => fields.find(path));

/** What cannot be bound is the usual road's to refuse. */
const orUndefined = <T>(find: () => T | undefined): T | undefined => {
  try {
    return find();
  } catch (error) {
    if (error instanceof SearchFailure) return undefined;
    throw error;
  }
};

/** Buckets of time need hours told apart where they are not made of whole days (UTC), but at least of whole hours. */
const needOfTime = (options: TimeInterval & FieldOptions, { span }: NeedContext): Need | undefined => {
  const { field, missing, offset, timeZone, interval } = options;
  if (field !== 'ts' || missing || offset) return undefined;
  // Months, quarters and years begin with a day.
  const millis = uniformMillis(interval) ?? day;
  const zone = timeZone && zoneOf(scalarText(timeZone) ?? '');
  if (timeZone && !zone) return undefined;
  const offsets = zone
    ? [zone.offsetAt(span.from), ...zone.transitions(span.from, span.to).map(({ after }) => after)]
    : [0];
  const made = (unit: number) => millis % unit === 0 && offsets.every((one) => one % unit === 0);
  if (made(day)) return { ...nothing, days: true };
  return made(hour) ? { ...nothing, hours: true, days: true } : undefined;
};
