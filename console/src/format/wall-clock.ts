import { formatIn, zone } from './time.js';

/**
 * Returns what clocks of a zone show, by default the one that is shown, as the Unix seconds at which clocks in UTC show
 * it.
 */
export const wallClock = (seconds: number, zoneName = zone.value): number => {
  const format = formatIn(zoneName, {
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const part = new Map(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, Number(value)]));
  const [year, month, day] = [part.get('year')!, part.get('month')! - 1, part.get('day')!];
  return Date.UTC(year, month, day, part.get('hour'), part.get('minute'), part.get('second')) / 1000;
};

/**
 * Returns the instants at which clocks of the zone show a time, the earlier first: two in the hour that comes twice in
 * autumn. A time that the change in spring leaves out is the instant of the change.
 */
export const atWallClock = (shown: number): number[] => {
  const offsets = [shown - 86_400, shown + 86_400].map((near) => wallClock(near) - near);
  const found = [...new Set(offsets)].map((offset) => shown - offset).filter((at) => wallClock(at) === shown);
  if (found.length > 0) return found.toSorted((a, b) => a - b);
  return [changeWithin(shown - Math.max(...offsets), shown - Math.min(...offsets))];
};

/** Returns the first second of the new offset between two instants. */
const changeWithin = (before: number, after: number): number => {
  const offset = (at: number) => wallClock(at) - at;
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offset(middle) === offset(before)) low = middle;
    else high = middle;
  }
  return high;
};
