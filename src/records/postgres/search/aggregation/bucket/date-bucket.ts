import sql, { type Sql } from 'sql-template-tag';
import { modulo, unitMillis } from '../../../../../search/date/calendar.js';
import {
  boundaries,
  type Interval,
  type Rounding,
  roundingOf,
  uniformMillis,
} from '../../../../../search/date/rounding.js';
import type { Instant, Zone } from '../../../../../search/date/zone.js';
import { illegalArgument, tooManyBuckets } from '../../../../../search/failure.js';
import { instantText } from '../../../../../search/query/option/instant.js';
import type { Span } from '../../../../../search/span.js';
import type { StoredField } from '../../sql/stored-field.js';
import type { Key } from './bucket.js';

/** How records are put into buckets of time: the key in SQL, and which start a key means. */
export interface DateBuckets {
  readonly key: Key;
  readonly rounding: Rounding;
  readonly interval: Interval;
  /** What keys are compared with to stand before or after an instant, as a parameter; equal where a bucket starts at it. */
  parameterOf(instant: Instant): Sql;
  /** The start of a bucket in milliseconds, from its answered key. */
  startOf(answered: unknown): Instant;
}

/** More starts than this are not sent to the database: an hour's buckets over a quarter of a century are fewer. */
const maxStarts = 300_000;

const monday = 4 * unitMillis.day;

/** The calendar's reach from 1970 on, in milliseconds. */
const maxOffset = 8.64e15;

/**
 * Buckets of an interval. Where all last as long and no change of the zone's offset falls between them, PostgreSQL
 * computes the start (`date_bin`); otherwise it looks the record's time up among the starts, which we compute.
 */
export const dateBuckets = (
  field: StoredField,
  interval: Interval,
  zone: Zone,
  offset: number,
  span: Span,
): DateBuckets => {
  // Beyond it a double no longer tells one bucket from the next.
  if (!(Math.abs(offset) <= maxOffset))
    throw illegalArgument(`[offset] of [${offset}] milliseconds leaves the calendar`);
  const rounding = roundingOf(interval, zone, offset);
  const millis = uniformMillis(interval);
  // The first bucket may begin before the first record, and every one before it is shifted.
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
      // Between two starts it is neither: after the one and before the other.
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

/** The offset that all buckets share, as far as it matters to them; undefined where it changes. */
const shiftOf = (millis: number, zone: Zone, { from, to }: Span): number | undefined => {
  if (zone.fixed !== undefined) return zone.fixed;
  const first = zone.offsetAt(from);
  const offsets = [first, ...zone.transitions(from, to).map(({ after }) => after)];
  return offsets.every((offset) => modulo(offset - first, millis) === 0) ? first : undefined;
};
