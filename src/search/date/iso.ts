import { modulo, unitMillis, utcOf } from './calendar.js';
import { type Instant, instantOf, offsetOf, type Zone } from './zone.js';

const strict =
  /^(\d{4}|[+-]\d{5,9})(?:-(\d{2})(?:-(\d{2})(?:T(?:(\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?)?)?)?$/;
const lenient =
  /^(-?\d{1,5})(?:-(\d{1,2})(?:-(\d{1,2})(?:T(?:(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?)?)?)?$/;

const parseBy =
  (pattern: RegExp) =>
  (text: string, roundUp: boolean, zone: Zone): Instant | undefined => {
    const match = pattern.exec(text);
    if (match === null) return undefined;
    const [, year, month, day, hour, minute, second, fraction, offset] = match;
    return assemble({ year, month, day, hour, minute, second, fraction }, roundUp, zone, offset);
  };

/**
 * Parses ISO 8601 from the year on; every later part may be omitted (`strict_date_optional_time`). If `roundUp` is set,
 * omitted parts of the time of day are at their end; an omitted month or day is the first, as in the engines.
 */
export const parseIso = parseBy(strict);

/** Works like {@link parseIso}, but takes numbers without leading zeros (`date_optional_time`). */
export const parseLenientIso = parseBy(lenient);

/** The digits of a date's parts that are present. */
export type DateParts = {
  [K in 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'fraction']?: string | undefined;
};

/** Returns the instant of a date's parts, or undefined if no such date exists. */
export const assemble = (
  parts: DateParts,
  roundUp: boolean,
  zone: Zone,
  offset: string | undefined,
): Instant | undefined => {
  const read = (digits: string | undefined, first: number, last: number) =>
    digits === undefined ? (roundUp ? last : first) : Number(digits);
  const year = Number(parts.year ?? 1970);
  const month = read(parts.month, 1, 1);
  const lastDay = new Date(utcOf(year, month, 1) - 1).getUTCDate();
  const day = read(parts.day, 1, 1);
  const hour = read(parts.hour, 0, 23);
  const minute = read(parts.minute, 0, 59);
  const second = read(parts.second, 0, 59);
  const millis = read(parts.fraction?.padEnd(3, '0').slice(0, 3), 0, 999);
  if (month < 1 || month > 12 || day < 1 || day > lastDay || hour > 23 || minute > 59 || second > 59) return undefined;
  const local =
    utcOf(year, month - 1, day) + hour * unitMillis.hour + minute * unitMillis.minute + second * 1000 + millis;
  if (Number.isNaN(local)) return undefined;
  // The engines read a text without an offset at UTC first, and keep that offset where the zone has it.
  if (offset === undefined) return instantOf(zone, local, 0);
  const shift = offsetOf(offset);
  return shift === undefined ? undefined : local - shift;
};

/** Formats ISO 8601 with the zone's offset, such as `2026-03-29T00:00:00.000+01:00`. */
export const printIso = (instant: Instant, zone: Zone, digits: 0 | 3): string => {
  const offset = zone.offsetAt(instant);
  const date = new Date(instant + offset);
  if (Number.isNaN(date.getTime())) return `${instant}`;
  const iso = date.toISOString();
  // A year of five digits or more has a sign and no leading zero, as in Java.
  const text = iso.length === 24 ? iso : iso.replace(/^([+-])0{1,2}(\d{4})/, '$1$2');
  return `${text.slice(0, digits === 3 ? -1 : -5)}${printOffset(offset, ':', true)}`;
};

/** Formats an offset as `+01:00`. Zero becomes `Z` if `zulu` is set. */
export const printOffset = (offset: number, separator: string, zulu: boolean): string => {
  if (offset === 0 && zulu) return 'Z';
  const minutes = Math.abs(Math.trunc(offset / unitMillis.minute));
  const pad = (value: number) => `${value}`.padStart(2, '0');
  const seconds = modulo(Math.abs(offset) / 1000, 60);
  const tail = seconds === 0 ? '' : `${separator}${pad(seconds)}`;
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}${separator}${pad(minutes % 60)}${tail}`;
};
