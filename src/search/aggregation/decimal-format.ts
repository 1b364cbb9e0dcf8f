import { type FaultPosition, illegalArgument } from '../search-failure.js';
import { decimalPattern, type Pattern } from './decimal-pattern.js';

/**
 * Returns the digits of a number before rounding, as the engines take them: the shortest that identify the double. For
 * a number that these digits put exactly halfway, returns all digits of its exact value.
 */
const digitsOf = (value: number | bigint, isHalf: (plain: string) => boolean): Intl.StringNumericLiteral => {
  const plain = `${value}`;
  if (typeof value === 'bigint' || !(isHalf(plain) || plain.includes('e-'))) return plain as Intl.StringNumericLiteral;
  // oxlint-disable-next-line oxc/number-arg-out-of-range -- The rule has the limit 20 of ES5; since ES2018 it is 100.
  return (value < 1e21 ? value.toFixed(100) : plain) as Intl.StringNumericLiteral;
};

/** Formats a number without a sign. Returns its digits before and after the point, without padding zeros. */
type Fixed = (value: number | bigint) => readonly [whole: string, fraction: string];

/** Maximum number of digits that Intl.NumberFormat writes after the point. */
const maxFractionDigits = 100;
/** Matches a number below 1e-6 in JavaScript's notation. */
const tiny = /^(\d)(?:\.(\d+))?e-(\d+)$/;

const fixed = (most: number): Fixed => {
  const maximumFractionDigits = Math.min(most, maxFractionDigits);
  const format = new Intl.NumberFormat('en-US', {
    maximumFractionDigits,
    useGrouping: false,
    roundingMode: 'halfEven',
  });
  const isHalf = (plain: string) => {
    const [, fraction = ''] = plain.split('.');
    return fraction.length === maximumFractionDigits + 1 && fraction.endsWith('5');
  };
  return (value) => {
    const small = most > maxFractionDigits ? tiny.exec(`${value}`) : null;
    if (small !== null) return ['', `${'0'.repeat(Number(small[3]) - 1)}${small[1]}${small[2] ?? ''}`];
    const [whole = '', fraction = ''] = format.format(digitsOf(value, isHalf)).split('.');
    return [whole === '0' ? '' : whole, fraction];
  };
};

const grouped = (whole: string, size: number): string => {
  if (size === 0) return whole;
  const first = whole.length % size || size;
  const groups = [whole.slice(0, first)];
  for (let at = first; at < whole.length; at += size) groups.push(whole.slice(at, at + size));
  return groups.join(',');
};

const plainOf = ({ whole, fraction, grouping, alwaysPoint }: Pattern): ((value: number | bigint) => string) => {
  const digits = fixed(fraction.most);
  return (value) => {
    const [before, after] = digits(value);
    const behind = after.padEnd(fraction.least, '0');
    const filled = before.padStart(whole.least, '0') || (behind === '' ? '0' : '');
    return `${grouped(filled, grouping)}${behind !== '' || alwaysPoint ? '.' : ''}${behind}`;
  };
};

/** Maximum number of significant digits of Intl.NumberFormat. */
const maxSignificant = 21;

/**
 * Creates the formatter of `12.3E3`: the exponent is a multiple of the maximum number of digits before the point, if
 * that exceeds the minimum.
 */
const scientificOf = ({
  whole,
  fraction,
  alwaysPoint,
  exponentDigits,
}: Pattern): ((value: number | bigint) => string) => {
  const most = Math.min(maxSignificant, whole.most + fraction.most);
  const format = new Intl.NumberFormat('en-US', {
    notation: 'scientific',
    maximumSignificantDigits: most,
    roundingMode: 'halfEven',
  });
  const isHalf = (plain: string) => {
    const significant = plain.split('e')[0]!.replace('.', '').replace(/^0+/, '');
    return significant.length === most + 1 && significant.endsWith('5');
  };
  return (value) => {
    const [mantissa = '', magnitude] = format.format(digitsOf(value, isHalf)).split('E');
    const isZero = Number(value) === 0;
    const digits = isZero ? '' : mantissa.replace('.', '');
    const pointAt = isZero ? 0 : Number(magnitude) + 1;
    const repeats = whole.most > 1 && whole.most > whole.least;
    const reached = repeats ? Math.floor((pointAt - 1) / whole.most) * whole.most : pointAt - whole.least;
    const before = isZero && repeats ? 1 : pointAt - reached;
    const exponent = isZero ? 0 : reached;
    const filled = digits.padEnd(Math.max(whole.least + fraction.least, before), '0');
    const behind = filled.slice(before);
    const point = behind !== '' || alwaysPoint ? '.' : '';
    const power = `${Math.abs(exponent)}`.padStart(exponentDigits!, '0');
    return `${filled.slice(0, before)}${point}${behind}E${exponent < 0 ? '-' : ''}${power}`;
  };
};

const scaled = (value: number | bigint, scale: number): number | bigint => {
  const magnitude = value < 0 ? -value : value;
  if (scale === 1) return magnitude;
  return typeof magnitude === 'bigint' ? magnitude * BigInt(scale) : magnitude * scale;
};

/**
 * Creates a formatter from a decimal pattern of Java: `0.000`, `#,##0.00`, `00.0 'C'`, `0.0%`, `##0.#E0`, `0;(0)`.
 * Halves round to the even neighbour, as in Java.
 */
export const decimalFormatOf = (pattern: string, place: FaultPosition): ((value: number | bigint) => string) => {
  const parsed = decimalPattern(pattern);
  if (parsed === undefined) throw illegalArgument(`Malformed pattern "${pattern}"`, place);
  const { positive, negative, scale, exponentDigits } = parsed;
  const shown = exponentDigits === undefined ? plainOf(parsed) : scientificOf(parsed);
  return (value) => {
    const { before, after } = value < 0 || Object.is(value, -0) ? negative : positive;
    return `${before}${shown(scaled(value, scale))}${after}`;
  };
};
