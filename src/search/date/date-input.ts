import { type Place, parseFailure } from '../failure.js';
import type { DateFormat } from './date-format.js';
import { applyMath } from './date-math.js';
import { type Instant, utc, type Zone } from './zone.js';

/** How texts and numbers of one request are read as dates. */
export interface DateReading {
  /** The instant of the request: every `now` of it is the same. */
  readonly now: Instant;
  readonly format: DateFormat;
  /** The zone of texts that name none. */
  readonly zone?: Zone;
}

/**
 * A date of a query in milliseconds: a text in the format, `now`, either followed by date math, or a number.
 * @param roundUp parts that a text leaves out, and rounding by date math, go to their last millisecond: `2026-03-29` is
 *   the end of that day.
 */
export const readDate = (text: string, roundUp: boolean, reading: DateReading, place: Place): Instant => {
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
