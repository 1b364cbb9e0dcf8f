import { duration, formatIn, zone } from './time.js';

/*
 * Time ranges of the address. Times are Unix seconds; days and typed times are those of the time zone that is shown.
 */

/** Lengths of ranges by the words that addresses use, in seconds. */
export const lengths = { hour: 3600, day: 86_400, week: 7 * 86_400, month: 30 * 86_400 } as const;

/** Ranges whose ends are midnights, by their words in addresses. */
const calendar = {
  today: (midnight: Midnight): Ends => ({ from: midnight(0), to: undefined }),
  yesterday: (midnight: Midnight): Ends => ({ from: midnight(-1), to: midnight(0) }),
  'this-week': (midnight: Midnight, weekday: number): Ends => ({ from: midnight(-weekday), to: undefined }),
} as const;

/** Returns a midnight: 0 is that of today. */
type Midnight = (days: number) => number;
/** Without an end, the range ends now. */
type Ends = { from: number; to: number | undefined };

const secondsOfUnit = { m: 60, h: 3600, d: 86_400, w: 7 * 86_400 } as const;

/** A time range: one that follows the clock by its name, or between two instants. */
export type ChosenRange = { readonly name: string } | { readonly from: number; readonly to: number };

/** Parses a length: `day`, or `15m`, `6h`, `3d`, `2w`. Returns seconds; undefined for another text. */
const parseLength = (text: string): number | undefined => {
  if (Object.hasOwn(lengths, text)) return lengths[text as keyof typeof lengths];
  const [, count, unit] = /^([1-9]\d{0,3}) ?([mhdw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * secondsOfUnit[unit as keyof typeof secondsOfUnit];
};

/** Parses a range of the address: `day`, `3d`, `today`, or `1700000000..1700003600`. */
export const parseRange = (text: string, fallback = 'day'): ChosenRange => {
  const [, from, to] = /^(\d{1,10})\.\.(\d{1,10})$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined) return { from: Number(from), to: Number(to) };
  return { name: Object.hasOwn(calendar, text) || parseLength(text) !== undefined ? text : fallback };
};

/** Words for a range that follows the clock by its length: "Last 3 days". */
export const nameOfLength = (text: string): string => `Last ${duration(parseLength(text) ?? lengths.day)}`;

/** Returns the ends of a range at a point in time, in whole seconds. */
export const endsOf = (range: ChosenRange, now = Date.now() / 1000): { from: number; to: number } => {
  if (!('name' in range)) return range;
  const end = Math.ceil(now);
  if (!Object.hasOwn(calendar, range.name)) return { from: end - (parseLength(range.name) ?? lengths.day), to: end };
  const today = Math.floor(wallClock(now) / 86_400) * 86_400;
  const weekday = (new Date(today * 1000).getUTCDay() + 6) % 7;
  const midnight = (days: number) => atWallClock(today + days * 86_400)[0]!;
  const { from, to } = calendar[range.name as keyof typeof calendar](midnight, weekday);
  return { from, to: to ?? Math.max(end, from + 1) };
};

/** Returns what clocks of the zone show, as the Unix seconds at which clocks in UTC show it. */
const wallClock = (seconds: number): number => {
  const format = formatIn(zone.value, {
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
const atWallClock = (shown: number): number[] => {
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

/** Writes an instant as people type it: "2026-10-25 02:30", and with "CEST" or "CET" if the time comes twice. */
export const instantText = (seconds: number): string => {
  const shown = wallClock(seconds);
  const text = new Date(shown * 1000).toISOString().replace('T', ' ');
  const time = text.slice(0, seconds % 60 === 0 ? 16 : 19);
  return atWallClock(shown).length > 1 ? `${time} ${offsetName(seconds)}` : time;
};

/** Locales that have names of offsets, each for some zones. */
const naming = ['en-GB', 'en-US', 'en-CA', 'en-AU'];

/** Returns the name of the offset at an instant: "CEST"; "GMT-3" where it has no name. */
const offsetName = (seconds: number): string => {
  const names = naming.map((locale) => {
    const format = new Intl.DateTimeFormat(locale, { timeZone: zone.value, timeZoneName: 'short' });
    return format.formatToParts(seconds * 1000).find(({ type }) => type === 'timeZoneName')!.value;
  });
  return names.find((name) => !/^GMT.|^UTC./.test(name)) ?? names[0]!;
};

/**
 * Parses a typed instant in the zone that is shown: "2026-10-25 08:00", "2026-10-25", "2026-10-25 02:30 CET", "now", or
 * "3d", which is that long ago. Returns Unix seconds; undefined for another text.
 */
export const parseInstant = (text: string, now = Date.now() / 1000): number | undefined => {
  const typed = text.trim();
  if (/^now$/i.test(typed)) return Math.ceil(now);
  const length = parseLength(typed.toLowerCase());
  if (length !== undefined) return Math.floor(now - length);
  const [, date, time = '00:00', name] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?)(?: +([A-Za-z]{2,5}|GMT[+-]\d{1,2}(?::\d\d)?))?)?$/.exec(typed) ??
    [];
  const shown = Date.parse(`${date}T${time}Z`) / 1000;
  if (Number.isNaN(shown) || new Date(shown * 1000).toISOString().slice(0, 10) !== date) return undefined;
  const found = atWallClock(shown);
  if (name === undefined) return found[0];
  return found.find((at) => offsetName(at).toLowerCase() === name.toLowerCase());
};
