import { illegalArgument, type Place } from '../failure.js';

const units: Readonly<Record<string, number>> = {
  nanos: 1e-6,
  micros: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A time value such as `500ms`, `+6h` or `-30m`, in milliseconds. */
export const durationOf = (value: string, place: Place): number => {
  const [, amount, unit] = /^\s*([+-]?\d+(?:\.\d+)?)\s*(nanos|micros|ms|s|m|h|d)\s*$/i.exec(value) ?? [];
  if (amount !== undefined && unit !== undefined) return Math.trunc(Number(amount) * units[unit.toLowerCase()]!);
  if (/^\s*(?:[+-]?0+|-1)\s*$/.test(value)) return Number(value);
  throw illegalArgument(
    `failed to parse setting with value [${value}] as a time value: unit is missing or unrecognized`,
    place,
  );
};
