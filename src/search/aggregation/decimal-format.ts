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

/**
 * Java's decimal patterns as far as `0`, `#`, `,`, `.`, `%` and text around them go: `0.000`, `#,##0.00`, `00.0 'C'`.
 * Halves round to the even neighbour, as Java's do.
 */
export const decimalFormatOf = (pattern: string, place: Place): ((value: number | bigint) => string) => {
  if (pattern === '') return shortest;
  const match =
    /^((?:[^#0,.';]|'[^']*')*)([#,]*[0,]*)(?:\.(0*)(#*))?((?:[^#0,.';]|'[^']*')(?:[^';]|'[^']*')*)?(?:;.*)?$/s.exec(
      pattern,
    );
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
