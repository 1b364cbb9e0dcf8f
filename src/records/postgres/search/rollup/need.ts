import type { Aggregation } from '../../../../search/aggregation/aggregation.js';
import type { DateHistogramAggregation } from '../../../../search/aggregation/date-histogram.js';
import { calendarInterval, fixedInterval } from '../../../../search/aggregation/interval.js';
import { isPipeline } from '../../../../search/aggregation/pipeline/place.js';
import { uniformMillis } from '../../../../search/date/rounding.js';
import { zoneOf } from '../../../../search/date/zone.js';
import type { Field, Fields } from '../../../../search/field/field.js';
import type { Span } from '../../../../search/span.js';
import { scalarText } from '../../../../search/syntax/value.js';
import { numberSlots } from '../sql/stored-field.js';

/** Milliseconds. */
export const hour = 3_600_000;

/** Milliseconds of a day in UTC. */
export const day = 24 * hour;

/** What rollups are to be read for. */
export interface Need {
  /** The fields whose numbers are read. */
  readonly fields: readonly Field[];
  /** Whether devices are told apart. */
  readonly devices: boolean;
  /** Whether hours of a day (UTC) are told apart. */
  readonly hours: boolean;
}

const nothing: Need = { fields: [], devices: false, hours: false };

/** What aggregations need; undefined where rollups cannot serve one of them. */
export const needOf = (aggregations: readonly Aggregation[], fields: Fields, span: Span): Need | undefined => {
  let all: Need = nothing;
  for (const aggregation of aggregations) {
    const one = needOfOne(aggregation, fields, span);
    if (!one) return undefined;
    all = {
      fields: [...all.fields, ...one.fields],
      devices: all.devices || one.devices,
      hours: all.hours || one.hours,
    };
  }
  return all;
};

const needOfOne = (aggregation: Aggregation, fields: Fields, span: Span): Need | undefined => {
  if (isPipeline(aggregation)) return nothing;
  switch (aggregation.kind) {
    case 'avg':
    case 'sum':
    case 'min':
    case 'max':
    case 'value_count':
    case 'stats':
    case 'extended_stats': {
      const field = aggregation.missing ? undefined : fieldOf(fields, aggregation.field);
      return field && numberSlots(field) && { ...nothing, fields: [field] };
    }
    case 'date_histogram': {
      const unit = unitOf(aggregation, span);
      const inside = unit && needOf(aggregation.children, fields, span);
      return inside && { ...inside, hours: inside.hours || unit === 'hour' };
    }
    case 'terms': {
      const field = fieldOf(fields, aggregation.field);
      if (aggregation.missing || aggregation.minDocCount === 0 || !field || !isOfDevices(field)) return undefined;
      const inside = needOf(aggregation.children, fields, span);
      return inside && { ...inside, devices: inside.devices || tellsApart(field) };
    }
    default:
      return undefined;
  }
};

/** Whether a field is told by the device and the product alone. */
export const isOfDevices = (field: Field): boolean =>
  field.ofDevice || /^(device|(device\.)?product)\.id$/.test(field.path);

/** Whether a field may differ between devices of one product. */
export const tellsApart = (field: Field): boolean => !field.path.endsWith('product.id');

/** A field that does not exist, or whose products disagree, is the usual road's to answer. */
const fieldOf = (fields: Fields, path: string): Field | undefined => {
  try {
    return fields.find(path);
  } catch {
    return undefined;
  }
};

/** What the buckets of a histogram are made of: whole days (UTC), or at least whole hours. */
const unitOf = (aggregation: DateHistogramAggregation, span: Span): 'day' | 'hour' | undefined => {
  const { field, missing, offset, timeZone, fixedInterval: fixed, calendarInterval: calendar } = aggregation;
  if (field !== 'ts' || missing || offset) return undefined;
  const interval = calendar ? calendarInterval(calendar) : fixed && fixedInterval(fixed);
  if (!interval) return undefined;
  // Months, quarters and years begin with a day.
  const millis = uniformMillis(interval) ?? day;
  const zone = timeZone && zoneOf(scalarText(timeZone) ?? '');
  if (timeZone && !zone) return undefined;
  const offsets = zone
    ? [zone.offsetAt(span.from), ...zone.transitions(span.from, span.to).map(({ after }) => after)]
    : [0];
  const made = (unit: number) => millis % unit === 0 && offsets.every((one) => one % unit === 0);
  return made(day) ? 'day' : made(hour) ? 'hour' : undefined;
};
