import { type Span, shifted } from './span.js';
import { duration, zone } from './time.js';
import { atWallClock, wallClock } from './wall-clock.js';

/*
 * Time ranges of the address. Times are Unix seconds; days and typed times are those of the time zone that is shown.
 */

/** Lengths of ranges by the words that addresses use, in seconds. */
export const lengths = { hour: 3600, day: 86_400, week: 7 * 86_400, month: 30 * 86_400 } as const;

/** Ranges of whole days, weeks, months and years by their words in addresses. `ago` is 0 for one that lasts until now. */
const calendar = {
  today: { unit: 'day', ago: 0 },
  yesterday: { unit: 'day', ago: 1 },
  'this-week': { unit: 'week', ago: 0 },
  'last-week': { unit: 'week', ago: 1 },
  'this-month': { unit: 'month', ago: 0 },
  'last-month': { unit: 'month', ago: 1 },
  'this-year': { unit: 'year', ago: 0 },
  'last-year': { unit: 'year', ago: 1 },
} as const;

const spans = { day: { days: 1 }, week: { days: 7 }, month: { months: 1 }, year: { months: 12 } } as const;

/** Words for the ranges of the calendar. */
export const calendarNames = {
  today: 'Today',
  yesterday: 'Yesterday',
  'this-week': 'This week',
  'last-week': 'Last week',
  'this-month': 'This month',
  'last-month': 'Last month',
  'this-year': 'This year',
  'last-year': 'Last year',
} as const satisfies Record<keyof typeof calendar, string>;

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
  return { name: isOfCalendar(text) || parseLength(text) !== undefined ? text : fallback };
};

/** Words for a range that follows the clock by its length: "Last 3 days". */
export const nameOfLength = (text: string): string => `Last ${duration(parseLength(text) ?? lengths.day)}`;

/** The ends of a range, in Unix seconds. */
export interface Ends {
  readonly from: number;
  readonly to: number;
}

/** Returns the ends of a range at a point in time, in whole seconds. */
export const endsOf = (range: ChosenRange, now = Date.now() / 1000): Ends => {
  if (!('name' in range)) return range;
  const end = Math.ceil(now);
  if (!isOfCalendar(range.name)) return { from: end - (parseLength(range.name) ?? lengths.day), to: end };
  const { unit, ago } = calendar[range.name];
  const current = startOf(unit, now);
  if (ago === 0) return { from: current, to: Math.max(end, current + 1) };
  return { from: shifted(current, spans[unit], -1), to: current };
};

const isOfCalendar = (name: string): name is keyof typeof calendar => Object.hasOwn(calendar, name);

/** Returns the start of the day, week, month or year at an instant. */
const startOf = (unit: keyof typeof spans, at: number): number => {
  const today = new Date(Math.floor(wallClock(at) / 86_400) * 86_400_000);
  const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  const weekday = (today.getUTCDay() + 6) % 7;
  const start = {
    day: () => today.getTime(),
    week: () => Date.UTC(year, month, day - weekday),
    month: () => Date.UTC(year, month),
    year: () => Date.UTC(year, 0),
  }[unit]();
  return atWallClock(start / 1000)[0]!;
};

/** Returns how long a range is, in months or days if it begins and ends with them. */
export const spanOf = (range: ChosenRange, { from, to }: Ends): Span => {
  if ('name' in range && isOfCalendar(range.name)) return spans[calendar[range.name].unit];
  const length = 'name' in range ? (parseLength(range.name) ?? lengths.day) : to - from;
  const [start, end] = [wallClock(from), wallClock(to)];
  if (!('name' in range) && start % 86_400 === 0 && end % 86_400 === 0) {
    const [first, last] = [new Date(start * 1000), new Date(end * 1000)];
    return first.getUTCDate() === 1 && last.getUTCDate() === 1
      ? { months: monthOf(last) - monthOf(first) }
      : { days: (end - start) / 86_400 };
  }
  return length % 86_400 === 0 ? { days: length / 86_400 } : { seconds: length };
};

const monthOf = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth();

/** Whether a range of the calendar goes on: its end is now. */
export const isRunning = (range: ChosenRange): boolean =>
  'name' in range && isOfCalendar(range.name) && calendar[range.name].ago === 0;

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
