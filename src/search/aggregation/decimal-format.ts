import { illegalArgument, type Place } from '../failure.js';

/**
 * The digits of a number to be rounded to some behind its point: those that tell it from other doubles, as the engines take
 * them, and all that it really has where those would be a half.
 */
const digitsOf = (value: number | bigint, digits: number): Intl.StringNumericLiteral => {
  const plain = `${value}`;
  const [, fraction = ''] = plain.split('.');
  const isHalf = (fraction.length === digits + 1 && fraction.endsWith('5')) || plain.includes('e-');
  const exact = typeof value === 'number' && isHalf ? value.toFixed(Math.min(100, digits + 30)) : plain;
  return exact as Intl.StringNumericLiteral;
};

const magnitude = (value: number | bigint) => (value < 0 ? -value : value);

/** What an empty pattern writes: all digits there are, in groups. */
const shortest = (value: number | bigint): string => {
  const format = new Intl.NumberFormat('en-US', { maximumFractionDigits: 100 });
  const shown = format.format(`${magnitude(value)}` as Intl.StringNumericLiteral).replace(/^0(?=\.)/, '');
  return value < 0 ? `-${shown}` : shown;
};

/** The parts of a pattern, quotes still in its texts. What stands behind `;` is for negative numbers, and not read. */
interface PatternParts {
  readonly before: string;
  readonly whole: string;
  readonly fraction: string;
  readonly optional: string;
  readonly after: string;
}

/** The most digits that Intl.NumberFormat writes. */
const maxWhole = 21;
const maxFraction = 100;

/** Cuts a pattern in its parts, each character looked at once; undefined where it is none. */
const partsOf = (pattern: string): PatternParts | undefined => {
  const text = endOfText(pattern, 0, '#0,.;');
  if (text === undefined) return undefined;
  const whole = endOfRun(pattern, endOfRun(pattern, text, '#,'), '0,');
  const begin = pattern[whole] === '.' ? whole + 1 : whole;
  const fraction = begin === whole ? begin : endOfRun(pattern, begin, '0');
  const optional = begin === whole ? begin : endOfRun(pattern, fraction, '#');
  const hasText = optional < pattern.length && !'#0,.'.includes(pattern[optional]!);
  const end = hasText ? endOfText(pattern, optional, ';') : optional;
  if (end === undefined || (end < pattern.length && pattern[end] !== ';')) return undefined;
  const parts = {
    before: pattern.slice(0, text),
    whole: pattern.slice(text, whole),
    fraction: pattern.slice(begin, fraction),
    optional: pattern.slice(fraction, optional),
    after: pattern.slice(optional, end),
  };
  return zerosIn(parts.whole) > maxWhole || optional - begin > maxFraction ? undefined : parts;
};

const zerosIn = (text: string): number => text.split('0').length - 1;

/** Where a text ends that goes up to one of some characters outside of quotes; undefined where a quote is not closed. */
const endOfText = (pattern: string, start: number, stops: string): number | undefined => {
  let at = start;
  for (; at < pattern.length && !stops.includes(pattern[at]!); at += 1) {
    if (pattern[at] !== "'") continue;
    at = pattern.indexOf("'", at + 1);
    if (at < 0) return undefined;
  }
  return at;
};

/** The end of a run of some characters. */
const endOfRun = (pattern: string, start: number, characters: string): number => {
  let at = start;
  while (at < pattern.length && characters.includes(pattern[at]!)) at += 1;
  return at;
};

const malformed = (pattern: string, place: Place): never => {
  throw illegalArgument(`Malformed pattern "${pattern}"`, place);
};

/**
 * Java's decimal patterns as far as `0`, `#`, `,`, `.`, `%` and text around them go: `0.000`, `#,##0.00`, `00.0 'C'`.
 * Halves round to the even neighbour, as Java's do.
 */
export const decimalFormatOf = (pattern: string, place: Place): ((value: number | bigint) => string) => {
  if (pattern === '') return shortest;
  const { before, whole, fraction, optional, after } = partsOf(pattern) ?? malformed(pattern, place);
  const grouping = whole.includes(',') ? whole.length - whole.lastIndexOf(',') - 1 : 0;
  const format = new Intl.NumberFormat('en-US', {
    minimumIntegerDigits: Math.max(1, zerosIn(whole)),
    minimumFractionDigits: fraction.length,
    maximumFractionDigits: fraction.length + optional.length,
    useGrouping: grouping > 0,
    roundingMode: 'halfEven',
  });
  const scale = /%/.test(before + after) ? 100 : 1;
  const noLeadingZero = !whole.includes('0') && fraction.length + optional.length > 0;
  // What would be digits is left out of the text after the number.
  const rest = after.replaceAll(/'[^']*'|[#0,.]/g, (found) => (found.startsWith("'") ? found : ''));
  const unquote = (text: string) => text.replaceAll(/'([^']*)'/g, (_, inner: string) => inner || "'");
  return (value) => {
    const shown = format.format(
      digitsOf(scale === 1 ? magnitude(value) : Number(magnitude(value)) * scale, fraction.length + optional.length),
    );
    const sign = value < 0 ? '-' : '';
    return `${sign}${unquote(before)}${noLeadingZero ? shown.replace(/^0(?=\.)/, '') : shown}${unquote(rest)}`;
  };
};
