import { truncate, unitMillis, utcOf } from './calendar.js';
import { type CountedParts, countedDay } from './counted-day.js';
import { assemble, type DateParts, printOffset } from './iso.js';
import { type Instant, utc, type Zone } from './zone.js';

/** A compiled pattern, which parses and prints as a {@link DateFormat} does. */
export interface CompiledPattern {
  parse(text: string, roundUp: boolean, zone: Zone): Instant | undefined;
  print(instant: Instant, zone: Zone): string;
}

type Print = (date: Date, offset: number) => string;

/**
 * Returns the possible ends of a token that starts at a position, the preferred one first; none if it does not match.
 */
type Ends = (text: string, at: number) => readonly number[];

type Part = keyof DateParts | keyof CountedParts | 'offset' | 'monthName' | 'weekDayName' | 'half';

/** A run of one pattern letter: how it prints, what it matches, and the part of the date that it sets. */
interface Token {
  print: Print;
  ends: Ends;
  part?: Part;
  /** Whether a date is refused if it prints otherwise than the text says. */
  checked?: true;
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
/** Matches as many digits as possible within the limits. */
const digits =
  (min: number, max: number): Ends =>
  (text, at) => {
    let end = at;
    while (end < at + max && isDigit(text.charCodeAt(end))) end += 1;
    return Array.from({ length: Math.max(0, end - at - min + 1) }, (_, fewer) => end - fewer);
  };
const isDigit = (unit: number) => unit >= 0x30 && unit <= 0x39;
const oneOf =
  (words: readonly string[]): Ends =>
  (text, at) =>
    words.filter((word) => text.startsWith(word, at)).map((word) => at + word.length);
/** Matches `Z`, `+01`, `+0100` or `+01:00`. */
const offsetEnds: Ends = (text, at) => {
  const [found, tail] = /^(?:Z|[+-]\d\d(:?\d\d)?)/.exec(text.slice(at, at + 6)) ?? [];
  if (found === undefined) return [];
  return tail === undefined ? [at + found.length] : [at + found.length, at + found.length - tail.length];
};
const names = (all: readonly string[], length: number) => all.map((name) => (length === 3 ? name.slice(0, 3) : name));

const numeric =
  (read: (date: Date) => number, part?: Part) =>
  (length: number): Token => ({
    print: (date) => pad(read(date), length),
    ends: length === 1 ? digits(1, 2) : digits(length, length),
    ...(part === undefined ? {} : { part }),
  });
const dayOfYear = (date: Date) =>
  1 + Math.floor((date.getTime() - utcOf(date.getUTCFullYear(), 0, 1)) / unitMillis.day);
const weekOf = (date: Date) => {
  const thursday = new Date(truncate(date.getTime(), 'week') + 3 * unitMillis.day);
  return { year: thursday.getUTCFullYear(), week: Math.ceil(dayOfYear(thursday) / 7) };
};
const named = (all: readonly string[], index: (date: Date) => number, length: number, part: Part): Token => ({
  print: (date) => names(all, length)[index(date)]!,
  ends: oneOf(names(all, length)),
  part,
});
const numericYear =
  (read: (date: Date) => number, part: Part) =>
  (length: number): Token => ({
    print: (date) => (length === 2 ? pad(read(date) % 100, 2) : pad(read(date), length)),
    ends: length === 2 ? digits(2, 2) : digits(4, 9),
    part,
  });
const year = numericYear((date) => date.getUTCFullYear(), 'year');
const checked =
  (make: (length: number) => Token) =>
  (length: number): Token => ({ ...make(length), checked: true });
const zoneOffset =
  (zulu: boolean) =>
  (length: number): Token => ({
    print: (_date, offset) => {
      if (length === 1 && offset % unitMillis.hour === 0) return printOffset(offset, '', zulu).slice(0, 3);
      return printOffset(offset, length === 3 ? ':' : '', zulu);
    },
    ends: offsetEnds,
    part: 'offset',
  });

/** The supported letters of Java's date patterns. */
const letters: Readonly<Record<string, (length: number) => Token>> = {
  y: year,
  u: year,
  M: checked((length) =>
    length < 3
      ? numeric((date) => date.getUTCMonth() + 1, 'month')(length)
      : named(months, (date) => date.getUTCMonth(), length, 'monthName'),
  ),
  d: checked(numeric((date) => date.getUTCDate(), 'day')),
  D: checked((length) => ({ ...numeric(dayOfYear, 'dayOfYear')(length), ends: digits(length, 3) })),
  Q: checked(numeric((date) => Math.floor(date.getUTCMonth() / 3) + 1)),
  w: checked(numeric((date) => weekOf(date).week, 'week')),
  Y: checked(numericYear((date) => weekOf(date).year, 'weekYear')),
  E: checked((length) => named(days, (date) => date.getUTCDay(), length < 4 ? 3 : length, 'weekDayName')),
  e: checked(numeric((date) => ((date.getUTCDay() + 6) % 7) + 1, 'weekDay')),
  H: numeric((date) => date.getUTCHours(), 'hour'),
  h: numeric((date) => date.getUTCHours() % 12 || 12, 'hour'),
  a: () => ({ print: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'), ends: oneOf(['AM', 'PM']), part: 'half' }),
  m: numeric((date) => date.getUTCMinutes(), 'minute'),
  s: numeric((date) => date.getUTCSeconds(), 'second'),
  S: (length) => ({
    print: (date) => pad(date.getUTCMilliseconds(), 3).padEnd(length, '0').slice(0, length),
    ends: digits(length, length),
    part: 'fraction',
  }),
  X: zoneOffset(true),
  x: zoneOffset(false),
  Z: (length) => zoneOffset(false)(length < 4 ? 2 : 3),
};

/** Compiles a Java date pattern (`dd/MM/yyyy HH:mm`). Returns the error as a sentence if it is invalid. */
export const compilePattern = (pattern: string): CompiledPattern | string => {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; ) {
    const first = pattern[at]!;
    const end = first === "'" ? endOfQuoted(pattern, at) : endOfRun(pattern, at);
    if (end === undefined) return 'Pattern ends with an incomplete string literal';
    const run = pattern.slice(at, end);
    if (first === "'") tokens.push(literal(run === "''" ? "'" : run.slice(1, -1).replaceAll("''", "'")));
    else if (!isLetter(first)) tokens.push(literal(run));
    else if (!Object.hasOwn(letters, first)) return `Unknown pattern letter: ${first}`;
    else tokens.push(letters[first]!(run.length));
    if (tokens.length > maxTokens) return `A pattern has at most ${maxTokens} parts`;
    at = end;
  }
  if (tokens.length === 0) return 'No date pattern provided';
  return {
    print: (instant, zone) => {
      const offset = zone.offsetAt(instant);
      const date = new Date(instant + offset);
      return tokens.map(({ print }) => print(date, offset)).join('');
    },
    parse: (text, roundUp, zone) => {
      const found = match(tokens, text);
      return found && read(tokens, found, roundUp, zone);
    },
  };
};

/** Maximum number of tokens, which is more than any date needs; the time to match a text grows with it. */
const maxTokens = 32;

const isLetter = (character: string) => /[A-Za-z]/.test(character);

/** Returns the end of a run of one letter; other characters form runs of one. */
const endOfRun = (pattern: string, start: number): number => {
  let end = start + 1;
  if (isLetter(pattern[start]!)) while (pattern[end] === pattern[start]) end += 1;
  return end;
};

/** Returns the end of a quoted text, in which two quotes mean one; undefined if it is not closed. */
const endOfQuoted = (pattern: string, start: number): number | undefined => {
  for (let end = pattern.indexOf("'", start + 1); end >= 0; end = pattern.indexOf("'", end + 2)) {
    if (pattern[end + 1] !== "'") return end + 1;
  }
  return undefined;
};

/**
 * Returns the text that each token matches, if all together match the whole text. A position from which the remaining
 * tokens fail is tried once, so that the time is bounded by tokens times characters.
 */
const match = (tokens: readonly Token[], text: string): string[] | undefined => {
  const found: string[] = [];
  const failed = new Set<number>();
  const from = (index: number, at: number): boolean => {
    const token = tokens[index];
    if (token === undefined) return at === text.length;
    const place = index * (text.length + 1) + at;
    if (failed.has(place)) return false;
    for (const end of token.ends(text, at)) {
      found[index] = text.slice(at, end);
      if (from(index + 1, end)) return true;
    }
    failed.add(place);
    return false;
  };
  return from(0, 0) ? found : undefined;
};

const literal = (text: string): Token => ({ print: () => text, ends: oneOf([text]) });

const read = (
  tokens: readonly Token[],
  found: readonly string[],
  roundUp: boolean,
  zone: Zone,
): Instant | undefined => {
  const parts: Partial<Record<Part, string>> = {};
  for (const [index, { part }] of tokens.entries()) if (part !== undefined) parts[part] = found[index]!;
  if (parts.year?.length === 2) parts.year = `20${parts.year}`;
  if (parts.monthName !== undefined)
    parts.month = `${months.findIndex((name) => name.startsWith(parts.monthName!)) + 1}`;
  if (parts.weekDayName !== undefined)
    parts.weekDay ??= `${days.findIndex((name) => name.startsWith(parts.weekDayName!)) || days.length}`;
  if (parts.half !== undefined) parts.hour = `${(Number(parts.hour ?? 12) % 12) + (parts.half === 'PM' ? 12 : 0)}`;
  Object.assign(parts, countedDay(parts));
  const local = assemble(parts, roundUp, utc, undefined);
  if (local === undefined) return undefined;
  const agrees = tokens.every(
    ({ print, checked: isChecked }, index) =>
      !isChecked || withoutZeros(print(new Date(local), 0)) === withoutZeros(found[index]!),
  );
  return agrees ? assemble(parts, roundUp, zone, parts.offset) : undefined;
};

const withoutZeros = (text: string) => text.replace(/^0+/, '');
