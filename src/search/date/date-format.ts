import { type FaultPosition, illegalArgument } from '../search-failure.js';
import { compilePattern } from './date-pattern.js';
import { parseIso, parseLenientIso, printIso } from './iso.js';
import type { Instant, Zone } from './zone.js';

export interface DateFormat {
  /** Its name or pattern, as requested. */
  readonly text: string;
  /**
   * Parses a text to an instant; undefined if it does not follow the format. With `roundUp`, omitted parts are at their
   * last millisecond.
   */
  parse(text: string, roundUp: boolean, zone: Zone): Instant | undefined;
  print(instant: Instant, zone: Zone): string;
}

/** Numbers from this size on are milliseconds, smaller ones seconds: 1e11 s is the year 5138, 1e11 ms is 1973. */
export const millisFrom = 1e11;

/** Converts a Unix time, whose unit follows from its size, to milliseconds. */
export const instantOfNumber = (value: number): Instant =>
  Math.floor(Math.abs(value) >= millisFrom ? value : value * 1000);

const epoch = (name: string, unit: number): DateFormat => ({
  text: name,
  parse: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Math.floor(Number(text) * unit) : undefined),
  print: (instant) => `${instant / unit}`,
});

const iso: DateFormat = {
  text: 'strict_date_optional_time',
  parse: parseIso,
  print: (at, zone) => printIso(at, zone, 3),
};
const named: Readonly<Record<string, DateFormat>> = {
  epoch_millis: epoch('epoch_millis', 1),
  epoch_second: epoch('epoch_second', 1000),
  strict_date_optional_time: iso,
  date_optional_time: { ...iso, text: 'date_optional_time', parse: parseLenientIso },
  iso8601: iso,
  strict_date_optional_time_nanos: { ...iso, text: 'strict_date_optional_time_nanos' },
};
const patterns: Readonly<Record<string, string>> = {
  basic_date: 'yyyyMMdd',
  basic_date_time: "yyyyMMdd'T'HHmmss.SSSXX",
  basic_date_time_no_millis: "yyyyMMdd'T'HHmmssXX",
  date: 'yyyy-MM-dd',
  date_hour: "yyyy-MM-dd'T'HH",
  date_hour_minute: "yyyy-MM-dd'T'HH:mm",
  date_hour_minute_second: "yyyy-MM-dd'T'HH:mm:ss",
  date_hour_minute_second_millis: "yyyy-MM-dd'T'HH:mm:ss.SSS",
  date_hour_minute_second_fraction: "yyyy-MM-dd'T'HH:mm:ss.SSS",
  date_time: "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
  date_time_no_millis: "yyyy-MM-dd'T'HH:mm:ssXXX",
  hour: 'HH',
  hour_minute: 'HH:mm',
  hour_minute_second: 'HH:mm:ss',
  year: 'yyyy',
  year_month: 'yyyy-MM',
  year_month_day: 'yyyy-MM-dd',
};

/** The engines' default date format. The unit of numbers follows from their size, as everywhere in this API. */
export const defaultDateFormat: DateFormat = {
  text: 'strict_date_optional_time||epoch_millis',
  parse: (text, roundUp, zone) =>
    parseIso(text, roundUp, zone) ?? (/^-?\d+(\.\d+)?$/.test(text) ? instantOfNumber(Number(text)) : undefined),
  print: iso.print,
};

/**
 * Returns the format for a name, for a Java date pattern, or for several of them joined by `||`. Of several, each may
 * parse, and the first one prints.
 */
export const dateFormatOf = (text: string, place: FaultPosition): DateFormat => {
  const formats = text.split('||').map((part) => single(part.trim(), text, place));
  const [first] = formats;
  if (formats.length === 1) return first!;
  return {
    text,
    parse: (value, roundUp, zone) => {
      for (const format of formats) {
        const instant = format.parse(value, roundUp, zone);
        if (instant !== undefined) return instant;
      }
      return undefined;
    },
    print: first!.print,
  };
};

const single = (text: string, whole: string, place: FaultPosition): DateFormat => {
  const name = text.startsWith('strict_') && !Object.hasOwn(named, text) ? text.slice('strict_'.length) : text;
  const format = Object.hasOwn(named, name) ? named[name] : undefined;
  if (format !== undefined) return format;
  const pattern = Object.hasOwn(patterns, name) ? patterns[name]! : text;
  const compiled = compilePattern(pattern);
  if (typeof compiled === 'string') throw illegalArgument(`Invalid format: [${whole}]: ${compiled}`, place);
  return { text, ...compiled };
};
