import { type FaultPosition, parseFailure } from '../search-failure.js';
import { addUnits, truncate, type Unit } from './calendar.js';
import { type Instant, instantOf, type Zone } from './zone.js';

const units: Readonly<Record<string, Unit>> = {
  y: 'year',
  M: 'month',
  w: 'week',
  d: 'day',
  h: 'hour',
  H: 'hour',
  m: 'minute',
  s: 'second',
};

/**
 * Applies date math (`+1d-2h/d`) to an instant, in a zone's local time.
 * @param roundUp whether `/d` gives the last millisecond of the day instead of its first
 */
export const applyMath = (
  start: Instant,
  math: string,
  roundUp: boolean,
  zone: Zone,
  place: FaultPosition,
): Instant => {
  let instant = start;
  for (let rest = math; rest !== ''; ) {
    const [step, sign, digits, unit] = /^([+\-/])(\d*)([\s\S]?)/.exec(rest) ?? [];
    if (step === undefined) throw parseFailure(`operator not supported for date math [${math}]`, place);
    if (unit === '') throw parseFailure(`truncated date math [${math}]`, place);
    const timeUnit = Object.hasOwn(units, unit!) ? units[unit!] : undefined;
    if (timeUnit === undefined) throw parseFailure(`unit [${unit}] not supported for date math [${math}]`, place);
    const count = digits === '' ? 1 : Number(digits);
    if (sign === '/' && count !== 1)
      throw parseFailure(`rounding \`/\` can only be used on single unit types [${math}]`, place);
    instant =
      sign === '/'
        ? round(instant, timeUnit, roundUp, zone)
        : shift(instant, sign === '-' ? -count : count, timeUnit, zone);
    if (Number.isNaN(instant) || Math.abs(instant) > 8.64e15)
      throw parseFailure(`date math [${math}] leaves the calendar`, place);
    rest = rest.slice(step.length);
  }
  return instant;
};

/** Adds to an instant. Its offset stays where the zone has it, so that an hour that comes twice is the same one. */
const shift = (instant: Instant, count: number, unit: Unit, zone: Zone): Instant => {
  if (unit === 'hour' || unit === 'minute' || unit === 'second') return addUnits(instant, count, unit);
  const offset = zone.offsetAt(instant);
  return instantOf(zone, addUnits(instant + offset, count, unit), offset);
};

const round = (instant: Instant, unit: Unit, roundUp: boolean, zone: Zone): Instant => {
  const offset = zone.offsetAt(instant);
  const start = instantOf(zone, truncate(instant + offset, unit), offset);
  return roundUp ? shift(start, 1, unit, zone) - 1 : start;
};
