import type { Unit } from '#search/date/calendar.js';
import { type Rounding, roundingOf } from '#search/date/rounding.js';
import type { Instant, Zone } from '#search/date/zone.js';
import type { Span } from '#search/span.js';

/** Units from fine to coarse, and the multiples of each that a bucket may span. */
export const steps: readonly { unit: Unit; short: string; inner: readonly number[] }[] = [
  { unit: 'second', short: 's', inner: [1, 5, 10, 30] },
  { unit: 'minute', short: 'm', inner: [1, 5, 10, 30] },
  { unit: 'hour', short: 'h', inner: [1, 3, 12] },
  { unit: 'day', short: 'd', inner: [1, 7] },
  { unit: 'month', short: 'M', inner: [1, 3] },
  { unit: 'year', short: 'y', inner: [1, 5, 10, 20, 50, 100] },
];

/** Chooses the finest unit, and the smallest multiple of it, that give at most `most` buckets. */
export const choose = (
  { from, to }: Span,
  most: number,
  least: number,
  zone: Zone,
): { starts: Instant[]; interval: string } => {
  for (const { unit, short, inner } of steps.slice(least)) {
    const rounding = roundingOf({ unit }, zone);
    const all = startsOf(rounding, from, to, most * inner.at(-1)!);
    if (all === undefined) continue;
    const together = inner.find((size) => Math.ceil(all.length / size) <= most);
    if (together !== undefined)
      return { starts: all.filter((_, index) => index % together === 0), interval: `${together}${short}` };
  }
  return { starts: [roundingOf({ unit: 'year' }, zone).round(from)], interval: '100y' };
};

const startsOf = (rounding: Rounding, from: Instant, to: Instant, most: number): Instant[] | undefined => {
  const starts: Instant[] = [];
  for (let start = rounding.round(from); start <= to; start = rounding.next(start)) {
    if (starts.push(start) > most) return undefined;
  }
  return starts;
};
