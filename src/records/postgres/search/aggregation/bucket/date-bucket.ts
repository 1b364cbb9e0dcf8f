import sql, { type Sql } from 'sql-template-tag';
import type { StoredField } from '#records/postgres/search/sql/stored-field.js';
import { modulo, unitMillis } from '#search/date/calendar.js';
import { boundaries, type Interval, type Rounding, roundingOf, uniformMillis } from '#search/date/rounding.js';
import type { Instant, Zone } from '#search/date/zone.js';
import type { InstantRange } from '#search/instant-range.js';
import { instantText } from '#search/query/option/instant.js';
import { illegalArgument, tooManyBuckets } from '#search/search-failure.js';
import type { Key } from './bucket.js';

/** Time buckets in SQL: the key of a record, and the conversion of keys to bucket starts. */
export interface DateBuckets {
  readonly key: Key;
  readonly rounding: Rounding;
  readonly interval: Interval;
  /**
   * Returns a parameter that compares with keys as an instant does with bucket starts: equal if a bucket starts at it.
   */
  parameterOf(instant: Instant): Sql;
  /** Returns the start of a bucket in milliseconds from its key in an answer. */
  startOf(answered: unknown): Instant;
}

/**
 * Maximum number of starts that are sent to the database: more than hourly buckets over a quarter of a century need.
 */
const maxStarts = 300_000;

const monday = 4 * unitMillis.day;

/** Range of JavaScript's dates from 1970, in milliseconds. */
const maxOffset = 8.64e15;

/**
 * Builds the buckets of an interval. If all have the same length and no change of the zone's offset falls between them,
 * PostgreSQL computes the start (`date_bin`). Otherwise it looks the record's time up among the starts, which this
 * function computes.
 */
export const dateBuckets = (
  field: StoredField,
  interval: Interval,
  zone: Zone,
  offset: number,
  span: InstantRange,
): DateBuckets => {
  // Beyond it a double no longer distinguishes one bucket from the next.
  if (!(Math.abs(offset) <= maxOffset))
    throw illegalArgument(`[offset] of [${offset}] milliseconds leaves the calendar`);
  const rounding = roundingOf(interval, zone, offset);
  const millis = uniformMillis(interval);
  // The range begins one bucket earlier, because the first bucket may begin before the first record. `offset` shifts
  // both ends.
  const shift =
    millis === undefined
      ? undefined
      : shiftOf(millis, zone, { from: span.from - offset - millis, to: span.to - offset });
  if (millis !== undefined && shift !== undefined) {
    const week = 'unit' in interval && interval.unit === 'week' ? monday : 0;
    const origin = instantText(modulo(week - shift + offset, millis));
    return {
      rounding,
      interval,
      parameterOf: (start) => sql`${instantText(start)}::timestamptz`,
      startOf: Number,
      key: {
        value: sql`date_bin(make_interval(secs => ${millis / 1000}::float8), ${field.value}, ${origin}::timestamptz)`,
        type: sql`timestamptz`,
        output: (key) => sql`(extract(epoch from ${key}) * 1000)::int8`,
        send: (answered) => instantText(Number(answered)),
        fields: [field],
      },
    };
  }
  const starts = boundaries(rounding, span.from, span.to, maxStarts);
  if (starts === undefined) throw tooManyBuckets(maxStarts + 1);
  return {
    rounding,
    interval,
    parameterOf: (instant) => {
      const index = starts.findLastIndex((one) => one <= instant);
      // An instant between two starts equals neither: it lies after the first and before the second.
      return starts[index] === instant ? sql`${index + 1}::int4` : sql`${index + 1.5}::float8`;
    },
    startOf: (answered) => starts[Number(answered) - 1] ?? starts[0]!,
    key: {
      value: sql`width_bucket(${field.value}, ${starts.map(instantText)}::timestamptz[])`,
      type: sql`int4`,
      fields: [field],
    },
  };
};

/** Returns the offset that all buckets share, modulo their length; undefined if it changes. */
const shiftOf = (millis: number, zone: Zone, { from, to }: InstantRange): number | undefined => {
  if (zone.fixed !== undefined) return zone.fixed;
  const first = zone.offsetAt(from);
  const offsets = [first, ...zone.transitions(from, to).map(({ after }) => after)];
  return offsets.every((offset) => modulo(offset - first, millis) === 0) ? first : undefined;
};
