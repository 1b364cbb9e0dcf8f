import { printOf, withText } from '../../../../search/aggregation/format.js';
import { calendarInterval } from '../../../../search/aggregation/interval.js';
import type { RateMetric } from '../../../../search/aggregation/rate.js';
import { unitMillis } from '../../../../search/date/calendar.js';
import { illegalArgument, SearchFailure } from '../../../../search/failure.js';
import type { Bucket } from './bucket/bucket.js';
import type { Planned, Stage } from './bucket/stage.js';
import { numbersOf } from './value/number-of.js';

const months = { month: 1, quarter: 3, year: 12 } as const;

/** Records, values or their sum for each unit of time, in buckets of time. */
export const rate = ({ at, field, unit, countsValues, format }: RateMetric, stage: Stage): Planned => {
  const { time } = stage;
  if (time === undefined)
    throw new SearchFailure(
      400,
      'illegal_argument_exception',
      'The rate aggregation can only be used inside a date histogram',
      at,
    );
  const amount = amountOf({ at, field, countsValues }, stage);
  const scale = scaleOf(unit === undefined ? undefined : calendarInterval(unit), time.buckets.interval, at);
  const print = printOf(undefined, format);
  const perUnit = (bucket: Bucket): number => {
    const value = amount(bucket);
    if (typeof scale === 'number') return value * scale;
    const start = time.buckets.startOf(bucket.row?.[time.index]);
    return bucket.row === undefined ? 0 : (value * scale.unit) / (time.buckets.rounding.next(start) - start);
  };
  return { read: (bucket) => withText(perUnit(bucket), print) };
};

const amountOf = (
  { at, field, countsValues }: { at: RateMetric['at']; field: string | undefined; countsValues: boolean },
  stage: Stage,
) => {
  if (field === undefined) return stage.count();
  const numbers = numbersOf(stage, 'rate', { field }, at);
  if (numbers === undefined) return () => 0;
  const { cell } = stage.aggregate(countsValues ? numbers.count : numbers.sum);
  return (bucket: Bucket) => Number(cell(bucket) ?? 0);
};

type Width = { readonly unit: string } | { readonly millis: number };

/** What a bucket's amount is multiplied by; where buckets differ in length, the unit in milliseconds. */
const scaleOf = (unit: Width | undefined, interval: Width, at: RateMetric['at']): number | { unit: number } => {
  if (unit === undefined) return 1;
  const wanted = monthsOf(unit);
  const width = monthsOf(interval);
  if (wanted !== undefined && width !== undefined) return wanted / width;
  if (wanted !== undefined) {
    throw illegalArgument(
      `Cannot use month-based rate unit [${(unit as { unit: string }).unit}] with non-month based calendar interval histogram, only week, day, hour, minute and second are supported for this histogram`,
      at,
    );
  }
  const millis = unitMillis[(unit as { unit: keyof typeof unitMillis }).unit];
  // A day or a week counts as 24 or 168 hours, also where clocks change in it; months are as long as they are.
  const fixed = 'millis' in interval ? interval.millis : unitMillis[interval.unit as keyof typeof unitMillis];
  return width === undefined ? millis / fixed : { unit: millis };
};

const monthsOf = (width: Width): number | undefined =>
  'unit' in width && Object.hasOwn(months, width.unit) ? months[width.unit as keyof typeof months] : undefined;
