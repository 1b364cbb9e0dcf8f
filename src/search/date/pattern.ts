import { escapePattern } from '../syntax/escape.js';
import { truncate, unitMillis, utcOf } from './calendar.js';
import { assemble, type DateParts, printOffset } from './iso.js';
import type { Instant, Zone } from './zone.js';

/** A compiled pattern: both ways of a {@link DateFormat}. */
export interface CompiledPattern {
  parse(text: string, roundUp: boolean, zone: Zone): Instant | undefined;
  print(instant: Instant, zone: Zone): string;
}

type Print = (date: Date, offset: number) => string;

/** A run of one pattern letter: how it prints, what it matches, and which part of the date that is (none: it is only checked). */
interface Token {
  print: Print;
  match: string;
  part?: keyof DateParts | 'offset' | 'monthName' | 'half';
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const pad = (value: number, length: number) => `${Math.abs(value)}`.padStart(length, '0');
const digits = (length: number) => (length === 1 ? '\\d{1,2}' : `\\d{${length}}`);
const names = (all: readonly string[], length: number) => all.map((name) => (length === 3 ? name.slice(0, 3) : name));

const numeric =
  (read: (date: Date) => number, part?: Token['part']) =>
  (length: number): Token => ({
    print: (date) => pad(read(date), length),
    match: digits(length),
    ...(part === undefined ? {} : { part }),
  });
const dayOfYear = (date: Date) =>
  1 + Math.floor((date.getTime() - utcOf(date.getUTCFullYear(), 0, 1)) / unitMillis.day);
const weekOf = (date: Date) => {
  const thursday = new Date(truncate(date.getTime(), 'week') + 3 * unitMillis.day);
  return { year: thursday.getUTCFullYear(), week: Math.ceil(dayOfYear(thursday) / 7) };
};
const named = (all: readonly string[], index: (date: Date) => number, length: number, part?: 'monthName'): Token => ({
  print: (date) => names(all, length)[index(date)]!,
  match: names(all, length).join('|'),
  ...(part === undefined ? {} : { part }),
});
const year = (length: number): Token => ({
  print: (date) => (length === 2 ? pad(date.getUTCFullYear() % 100, 2) : pad(date.getUTCFullYear(), length)),
  match: length === 2 ? '\\d{2}' : '\\d{4,9}',
  part: 'year',
});
const zoneOffset =
  (zulu: boolean) =>
  (length: number): Token => ({
    print: (_date, offset) => {
      if (length === 1 && offset % unitMillis.hour === 0) return printOffset(offset, '', zulu).slice(0, 3);
      return printOffset(offset, length === 3 ? ':' : '', zulu);
    },
    match: 'Z|[+-]\\d{2}(?::?\\d{2})?',
    part: 'offset',
  });

/** The letters of Java's date patterns that we know. */
const letters: Readonly<Record<string, (length: number) => Token>> = {
  y: year,
  u: year,
  M: (length) =>
    length < 3
      ? numeric((date) => date.getUTCMonth() + 1, 'month')(length)
      : named(months, (date) => date.getUTCMonth(), length, 'monthName'),
  d: numeric((date) => date.getUTCDate(), 'day'),
  D: (length) => ({ ...numeric(dayOfYear)(length), match: '\\d{1,3}' }),
  Q: numeric((date) => Math.floor(date.getUTCMonth() / 3) + 1),
  w: numeric((date) => weekOf(date).week),
  Y: numeric((date) => weekOf(date).year),
  E: (length) => named(days, (date) => date.getUTCDay(), length < 4 ? 3 : length),
  e: numeric((date) => ((date.getUTCDay() + 6) % 7) + 1),
  H: numeric((date) => date.getUTCHours(), 'hour'),
  h: numeric((date) => date.getUTCHours() % 12 || 12, 'hour'),
  a: () => ({ print: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'), match: 'AM|PM', part: 'half' }),
  m: numeric((date) => date.getUTCMinutes(), 'minute'),
  s: numeric((date) => date.getUTCSeconds(), 'second'),
  S: (length) => ({
    print: (date) => pad(date.getUTCMilliseconds(), 3).padEnd(length, '0').slice(0, length),
    match: `\\d{${length}}`,
    part: 'fraction',
  }),
  X: zoneOffset(true),
  x: zoneOffset(false),
  Z: (length) => zoneOffset(false)(length < 4 ? 2 : 3),
};

/** A Java date pattern (`dd/MM/yyyy HH:mm`), compiled; or the sentence that says why it cannot be. */
export const compilePattern = (pattern: string): CompiledPattern | string => {
  const tokens: Token[] = [];
  for (const [run, quoted] of pattern.matchAll(/([A-Za-z])\1*|'((?:[^']|'')*)'|[^A-Za-z']|'/g)) {
    if (run === "'") return 'Pattern ends with an incomplete string literal';
    if (run.startsWith("'")) tokens.push(literal(run === "''" ? "'" : run.slice(1, -1).replaceAll("''", "'")));
    else if (quoted === undefined) tokens.push(literal(run));
    else if (!Object.hasOwn(letters, quoted)) return `Unknown pattern letter: ${quoted}`;
    else tokens.push(letters[quoted]!(run.length));
  }
  if (tokens.length === 0) return 'No date pattern provided';
  const whole = new RegExp(`^${tokens.map(({ match }) => `(${match})`).join('')}$`);
  return {
    print: (instant, zone) => {
      const offset = zone.offsetAt(instant);
      const date = new Date(instant + offset);
      return tokens.map(({ print }) => print(date, offset)).join('');
    },
    parse: (text, roundUp, zone) => {
      const match = whole.exec(text);
      return match === null ? undefined : read(tokens, match.slice(1), roundUp, zone);
    },
  };
};

const literal = (text: string): Token => ({ print: () => text, match: escapePattern(text) });

const read = (
  tokens: readonly Token[],
  found: readonly string[],
  roundUp: boolean,
  zone: Zone,
): Instant | undefined => {
  const parts: Partial<Record<NonNullable<Token['part']>, string>> = {};
  for (const [index, { part }] of tokens.entries()) if (part !== undefined) parts[part] = found[index]!;
  if (parts.year?.length === 2) parts.year = `20${parts.year}`;
  if (parts.monthName !== undefined)
    parts.month = `${months.findIndex((name) => name.startsWith(parts.monthName!)) + 1}`;
  if (parts.half !== undefined) parts.hour = `${(Number(parts.hour ?? 12) % 12) + (parts.half === 'PM' ? 12 : 0)}`;
  return assemble(parts, roundUp, zone, parts.offset);
};
