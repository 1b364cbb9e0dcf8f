import type { RateMetric } from '#search/aggregation/rate.js';
import { unitMillis } from '#search/date/calendar.js';
import { illegalArgument } from '#search/search-failure.js';

const months = { month: 1, quarter: 3, year: 12 } as const;

type Width = { readonly unit: string } | { readonly millis: number };

/**
 * Returns the factor of a bucket's amount. If buckets differ in length, returns the unit in milliseconds instead.
 * @throws SearchFailure for a month-based unit over buckets that are not month-based
 */
export const scaleOf = (unit: Width | undefined, interval: Width, at: RateMetric['at']): number | { unit: number } => {
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
  // A day or a week counts as 24 or 168 hours, even across a clock change; months have their actual length.
  const fixed = 'millis' in interval ? interval.millis : unitMillis[interval.unit as keyof typeof unitMillis];
  return width === undefined ? millis / fixed : { unit: millis };
};

const monthsOf = (width: Width): number | undefined =>
  'unit' in width && Object.hasOwn(months, width.unit) ? months[width.unit as keyof typeof months] : undefined;
