import { type FaultPosition, illegalArgument, numberFormat } from '../search-failure.js';

const units: Readonly<Record<string, number>> = {
  nanos: 1e-6,
  micros: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Matches a number in the notation of the engines' language, including its suffix for float or double. Numbers that are
 * too long also match.
 */
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?[fd]?$/;

const isLong = (text: string): boolean => /^[+-]?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);

/**
 * Parses a time value such as `500ms`, `+6h` or `-30m` to milliseconds. A lower-case `m` means minutes; an upper-case
 * one would mean months.
 * @throws SearchFailure for other values; it names the `setting` if given
 */
export const durationOf = (value: string, place: FaultPosition, setting?: string): number => {
  const given = value.trim();
  const unit = Object.keys(units).find((name) =>
    name === 'm' ? value.endsWith(name) : given.toLowerCase().endsWith(name),
  );
  if (unit !== undefined) {
    const amount = given.slice(0, -unit.length).trim().toLowerCase();
    if (isLong(amount)) return Math.trunc(Number(amount) * units[unit]!);
    const fraction = decimal.test(amount) ? ', fractional time values are not supported' : '';
    throw illegalArgument(`failed to parse [${value}]${fraction}`, place, numberFormat(amount));
  }
  if (/^(?:[+-]?0+|-1)$/.test(given)) return Number(given);
  throw illegalArgument(
    `failed to parse setting ${setting === undefined ? '' : `[${setting}] `}with value [${value}] as a time value: unit is missing or unrecognized`,
    place,
  );
};
