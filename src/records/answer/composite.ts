import type { CompositeAggregation, CompositeSource } from '#search/aggregation/composite.js';
import { utc } from '#search/date/zone.js';
import { dateReading } from '#search/query/binding.js';
import { illegalArgument, numberFormat, parsing, SearchFailure } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import { isNumber, kindOf, scalarText } from '#search/syntax/value.js';

/** Returns the values of a cursor, in the order of the sources. */
export const compositeCursor = (after: Input, { sources }: CompositeAggregation): Input[] => {
  if (!after.isObject) throw parsing(`[composite] [after] must be an object, but was ${kindOf(after)}`, after);
  if (after.members().length !== sources.length) {
    throw illegalArgument(`[after] has ${after.members().length} value(s) but [sources] has ${sources.length}`, after);
  }
  return sources.map(({ name }) => {
    const value = after.get(name);
    if (value === undefined) throw illegalArgument(`Missing value for [after.${name}]`, after);
    return value;
  });
};

/** Parses the date of a cursor in the source's format. Without a format it must be a number of milliseconds. */
export const cursorMillis = (source: CompositeSource, input: Input, now: number): number => {
  const shown = scalarText(input) ?? '';
  if (source.format === undefined) {
    if (!isNumber(shown)) throw new SearchFailure(400, 'number_format_exception', numberFormat(shown).reason, input);
    return Number(shown);
  }
  const timeZone = 'timeZone' in source ? source.timeZone : undefined;
  const { format, zone } = dateReading(now, source.format, timeZone);
  const instant = format.parse(shown, false, zone ?? utc);
  if (instant === undefined)
    throw illegalArgument(`failed to parse date field [${shown}] with format [${format.text}]`, input);
  return instant;
};
