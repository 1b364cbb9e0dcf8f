import { wallClock } from '../format/wall-clock.js';

/* Computes the ticks of a time axis, at round local times of a time zone, also on days of 23 and 25 hours. uPlot's
   own ticks (`tzDate`) are wrong around the clock changes of the browser's zone. */

const minuteSeconds = 60;
const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

/** Steps between ticks, in seconds of local time. */
const steps = [
  1,
  5,
  10,
  15,
  30,
  minuteSeconds,
  2 * minuteSeconds,
  5 * minuteSeconds,
  10 * minuteSeconds,
  15 * minuteSeconds,
  30 * minuteSeconds,
  hourSeconds,
  2 * hourSeconds,
  3 * hourSeconds,
  6 * hourSeconds,
  12 * hourSeconds,
  daySeconds,
  2 * daySeconds,
  7 * daySeconds,
  14 * daySeconds,
  28 * daySeconds,
];

/** Returns the offset of a time zone from UTC at an instant, both in seconds. */
const offsetAt = (seconds: number, zone: string): number => wallClock(seconds, zone) - Math.floor(seconds);

/**
 * Returns the instant of a local time. For a local time that a clock change skips, it returns the instant of the first
 * time after the gap.
 */
const instantOf = (wall: number, zone: string): number => {
  const guess = wall - offsetAt(wall, zone);
  return wall - offsetAt(guess, zone);
};

/**
 * Returns about `about` ticks between two instants (Unix seconds), at round local times of a time zone. A narrow chart
 * has at least two.
 */
export const ticksBetween = (from: number, to: number, about: number, zone: string): number[] => {
  const found = steps.findIndex((length) => (to - from) / length <= Math.max(2, about));
  for (let place = found === -1 ? steps.length - 1 : found; ; place--) {
    const ticks = ticksOf(from, to, steps[place]!, zone);
    if (ticks.length > 1 || place === 0) return ticks;
  }
};

const ticksOf = (from: number, to: number, step: number, zone: string): number[] => {
  const first = Math.ceil((from + offsetAt(from, zone)) / step) * step;
  const ticks: number[] = [];
  for (let wall = first; ; wall += step) {
    const instant = instantOf(wall, zone);
    if (instant > to) return ticks;
    // A skipped hour at a clock change has no tick of its own.
    if (instant >= from && instant > (ticks.at(-1) ?? Number.NEGATIVE_INFINITY)) ticks.push(instant);
  }
};
