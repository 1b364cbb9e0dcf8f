import { illegalArgument, type Place } from '../failure.js';

/** A double with the digits that it really has, so that what looks like a half rounds as the engines round it. */
const exact = (value: number | bigint, digits: number): Intl.StringNumericLiteral =>
  (typeof value === 'number' && value < 1e21
    ? value.toFixed(Math.min(100, digits + 30))
    : `${value}`) as Intl.StringNumericLiteral;

const magnitude = (value: number | bigint) => (value < 0 ? -value : value);

/** What an empty pattern writes: all digits there are, in groups. */
const shortest = (value: number | bigint): string => {
  const format = new Intl.NumberFormat('en-US', { maximumFractionDigits: 100 });
  const shown = format.format(`${magnitude(value)}` as Intl.StringNumericLiteral).replace(/^0(?=\.)/, '');
  return value < 0 ? `-${shown}` : shown;
};

/**
 * Java's decimal patterns as far as `0`, `#`, `,`, `.`, `%` and text around them go: `0.000`, `#,##0.00`, `00.0 'C'`.
 * Halves round to the even neighbour, as Java's do.
 */
export const decimalFormatOf = (pattern: string, place: Place): ((value: number | bigint) => string) => {
  if (pattern === '') return shortest;
  const match = /^((?:[^#0,.';]|'[^']*')*)([#,]*[0,]*)(?:\.(0*)(#*))?((?:[^#0,.';]|'[^']*')*)(?:;.*)?$/s.exec(pattern);
  if (match === null || match[2] === undefined) {
    throw illegalArgument(`Malformed pattern "${pattern}"`, place);
  }
  const [, before = '', whole = '', fraction = '', optional = '', after = ''] = match;
  const grouping = whole.includes(',') ? whole.length - whole.lastIndexOf(',') - 1 : 0;
  const format = new Intl.NumberFormat('en-US', {
    minimumIntegerDigits: Math.max(1, whole.replaceAll(/[^0]/g, '').length),
    minimumFractionDigits: fraction.length,
    maximumFractionDigits: fraction.length + optional.length,
    useGrouping: grouping > 0,
    roundingMode: 'halfEven',
  });
  const scale = /%/.test(before + after) ? 100 : 1;
  const noLeadingZero = !whole.includes('0') && fraction.length + optional.length > 0;
  const unquote = (text: string) => text.replaceAll(/'([^']*)'/g, (_, inner: string) => inner || "'");
  return (value) => {
    const shown = format.format(
      exact(scale === 1 ? magnitude(value) : Number(magnitude(value)) * scale, fraction.length + optional.length),
    );
    const sign = value < 0 ? '-' : '';
    return `${sign}${unquote(before)}${noLeadingZero ? shown.replace(/^0(?=\.)/, '') : shown}${unquote(after)}`;
  };
};
