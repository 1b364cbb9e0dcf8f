import { illegalArgument, WrongKind } from '../../failure.js';
import type { Input } from '../../syntax/input.js';
import { object } from '../../syntax/object.js';
import { flag, ignored, kindOf, objectsOf, type Read, scalar, text } from '../../syntax/value.js';
import { named, type ParseAggregation } from '../frame.js';
import type { FieldOptions, Node } from '../node.js';
import { zoneText } from './time-interval.js';
import { fieldOptions, valueSource } from './value-source.js';

/** One bucket of a range aggregation. `from` is included, `to` is excluded. */
export interface RangeItem {
  readonly key?: string;
  readonly from?: Input;
  readonly to?: Input;
}

/** A bucket for each range of a field's values. */
export interface RangeAggregation extends Node<'range' | 'date_range'>, FieldOptions {
  readonly ranges: readonly RangeItem[];
  readonly keyed: boolean;
  readonly timeZone?: Input;
}

/** Parses an end of a range: a number, a text, or null. */
export const end: Read<Input> = (input) => {
  const { node } = input;
  if (node.kind === 'literal' && node.value !== null)
    throw new WrongKind(`[${input.key}] must be a number or a text`, input, kindOf(input));
  return scalar(input);
};

const rangeItem: Read<RangeItem> = (input) => {
  const {
    key,
    from,
    to,
    mask: _,
  } = object('range', {
    key: text,
    from: end,
    to: end,
    from_as_string: ignored,
    to_as_string: ignored,
    mask: ignored,
  })(input);
  return { ...(key !== undefined && { key }), ...(from && !from.isNull && { from }), ...(to && !to.isNull && { to }) };
};

/** Creates the parser of ranges of a field's values. */
export const rangesOver =
  (kind: 'range' | 'date_range'): ParseAggregation<RangeAggregation> =>
  (at, frame) => {
    const options = object(kind, { ...valueSource, ranges: objectsOf(rangeItem), keyed: flag, time_zone: zoneText })(
      at,
    );
    if ((options.ranges ?? []).length === 0)
      throw illegalArgument(`No [ranges] specified for the [${frame.name}] aggregation`, at);
    return {
      kind,
      ...named(frame, at),
      ...fieldOptions(options, at),
      ranges: options.ranges!,
      keyed: options.keyed ?? false,
      ...(options.time_zone && { timeZone: options.time_zone }),
    };
  };
