import { type FaultPosition, parseFailure } from '../search-failure.js';
import type { DateFormat } from './date-format.js';
import { applyMath } from './date-math.js';
import { type Instant, utc, type Zone } from './zone.js';

/** Settings for reading texts and numbers of one request as dates. */
export interface DateReading {
  /** Instant of the request, which every `now` in it means. */
  readonly now: Instant;
  readonly format: DateFormat;
  /** Time zone of texts without one. */
  readonly zone?: Zone;
}

/**
 * Converts a date of a query to milliseconds: a text in the format or `now`, either followed by date math, or a number.
 * @param roundUp whether omitted parts, and rounding by date math, go to their last millisecond: `2026-03-29` is then
 * the end of that day
 */
export const readDate = (text: string, roundUp: boolean, reading: DateReading, place: FaultPosition): Instant => {
  const zone = reading.zone ?? utc;
  if (text.startsWith('now')) return applyMath(reading.now, text.slice('now'.length), roundUp, zone, place);
  const [anchor, math] = split(text);
  if (anchor === '') throw parseFailure('cannot parse empty date', place);
  const instant = reading.format.parse(anchor, roundUp && math === '', zone);
  if (instant === undefined) {
    throw parseFailure(`failed to parse date field [${anchor}] with format [${reading.format.text}]`, place, {
      type: 'illegal_argument_exception',
      reason: `failed to parse date field [${anchor}] with format [${reading.format.text}]`,
      caused_by: { type: 'date_time_parse_exception', reason: `Text '${anchor}' could not be parsed` },
    });
  }
  return applyMath(instant, math, roundUp, zone, place);
};

const split = (text: string): [string, string] => {
  const at = text.indexOf('||');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 2)];
};
