import { illegalArgument, parsing } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { anything, atLeast, flag, ignored, type Read, text } from '../syntax/value.js';
import type { BucketOrder, HistogramBounds } from './aggregation.js';
import type { ParseAggregation } from './frame.js';
import { fieldOptions, valueSource } from './parse-metric.js';

/** Reads an order: one object, or several of one key each. */
export const bucketOrder: Read<BucketOrder[]> = (input) =>
  input.items().map((item) => {
    const [entry, second] = item.members();
    if (entry === undefined || second !== undefined) {
      throw parsing(`Must specify at least one field for [order]`, item);
    }
    const direction = text(entry.input).toLowerCase();
    if (direction !== 'asc' && direction !== 'desc')
      throw parsing(`Unknown order direction [${direction}]`, entry.input);
    return {
      path: entry.key === '_term' || entry.key === '_time' ? '_key' : entry.key,
      descending: direction === 'desc',
      at: entry.input,
    };
  });

const bounds: Read<HistogramBounds> = (input) => {
  const { min, max } = object('bounds', { min: anything, max: anything })(input);
  return { ...(min && !min.isNull && { min }), ...(max && !max.isNull && { max }) };
};

const framed = (frame: Parameters<ParseAggregation>[1], at: Input) => ({
  name: frame.name,
  at,
  children: frame.children,
  ...(frame.meta !== undefined && { meta: frame.meta }),
});

const terms: ParseAggregation = (at, frame) => {
  const options = object('terms', {
    ...valueSource,
    size: atLeast(1),
    shard_size: ignored,
    min_doc_count: atLeast(0),
    shard_min_doc_count: ignored,
    order: bucketOrder,
    show_term_doc_count_error: flag,
    collect_mode: ignored,
    execution_hint: ignored,
  })(at);
  return {
    kind: 'terms',
    ...framed(frame, at),
    ...fieldOptions(options, at),
    size: options.size ?? 10,
    minDocCount: options.min_doc_count ?? 1,
    order: options.order ?? [],
    showErrors: options.show_term_doc_count_error ?? false,
  };
};

const dateHistogram: ParseAggregation = (at, frame) => {
  const options = object('date_histogram', {
    ...valueSource,
    interval: anything,
    calendar_interval: anything,
    fixed_interval: anything,
    time_zone: anything,
    offset: anything,
    keyed: flag,
    min_doc_count: atLeast(0),
    extended_bounds: bounds,
    hard_bounds: bounds,
    order: bucketOrder,
  })(at);
  const intervals = intervalOf(options, at);
  return {
    kind: 'date_histogram',
    ...framed(frame, at),
    ...fieldOptions(options, at),
    ...intervals,
    ...(options.time_zone && { timeZone: options.time_zone }),
    ...(options.offset && { offset: options.offset }),
    ...(options.extended_bounds && { extendedBounds: options.extended_bounds }),
    ...(options.hard_bounds && { hardBounds: options.hard_bounds }),
    keyed: options.keyed ?? false,
    minDocCount: options.min_doc_count ?? 0,
    order: options.order ?? [],
  };
};

interface Intervals {
  interval?: Input;
  calendar_interval?: Input;
  fixed_interval?: Input;
}

/** Just one interval; the old `interval` is a calendar's where it names a unit of the calendar, else fixed. */
const intervalOf = ({ interval, calendar_interval: calendar, fixed_interval: fixed }: Intervals, at: Input) => {
  const given = [interval, calendar, fixed].filter((one) => one !== undefined);
  if (given.length === 0) throw illegalArgument('Invalid interval specified, must be non-null and non-empty', at);
  if (given.length > 1)
    throw illegalArgument(
      'Cannot use [interval] with [fixed_interval] or [calendar_interval] configuration options.',
      at,
    );
  if (calendar !== undefined) return { calendarInterval: calendar };
  if (fixed !== undefined) return { fixedInterval: fixed };
  const old = text(interval!);
  return /^(?:1?[smhdwMqy]|second|minute|hour|day|week|month|quarter|year)$/.test(old)
    ? { calendarInterval: interval! }
    : { fixedInterval: interval! };
};

/** Parsers of bucket aggregations, by the name of their type. */
export const bucketParsers: Readonly<Record<string, ParseAggregation>> = {
  terms,
  date_histogram: dateHistogram,
};
