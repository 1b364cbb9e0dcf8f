import type { DateReading } from '../date/date-input.js';
import type { Field } from '../field/field.js';
import { illegalArgument, parsing } from '../search-failure.js';
import type { Entry, Input } from '../syntax/input.js';
import type { Shaped } from '../syntax/object.js';
import { anything, bareText, flag, isNumber, type Read, scalarText, text } from '../syntax/value.js';
import { type Binding, dateReading, findField } from './binding.js';
import { type ParseClause, trusting, unchecked } from './clause.js';
import type { FieldClause } from './clause-node.js';
import { given } from './option/field-option.js';
import { millisBetween } from './option/instant.js';
import { type Bound, none, type Predicate } from './predicate.js';
import { coerce, dateOf, decimalEnd, wholeEnd, wholePart } from './value-of.js';

/** One parsed end of a range. */
export interface RangeEnd {
  readonly value: Input;
  readonly inclusive: boolean;
}

export interface RangeQuery extends FieldClause<'range'> {
  readonly lower?: RangeEnd;
  readonly upper?: RangeEnd;
  readonly format?: Input;
  readonly timeZone?: Input;
}

/**
 * Returns the only field of a range. As in the engines, values that are neither objects nor arrays of one are skipped,
 * or refused as an option.
 */
const rangedField = (at: Input): Entry | undefined => {
  const members = at.members();
  const unknown = members.find(({ input }) => input.items().some((item) => scalarText(item) !== undefined));
  if (unknown !== undefined) throw parsing(`[range] query does not support [${unknown.key}]`, unknown.input);
  const [entry, second] = members.filter(({ input }) => input.items().some(({ isObject }) => isObject));
  if (second === undefined) return entry;
  throw parsing(
    `[range] query doesn't support multiple fields, found [${entry!.key}] and [${second.key}]`,
    second.place,
  );
};

export const range: ParseClause<RangeQuery> = (at) => {
  const entry = rangedField(at);
  if (entry === undefined) throw illegalArgument('field name is null or empty', at);
  const { key } = entry;
  const input = entry.input.items().find(({ isObject }) => isObject)!;
  const options = trusting('range', shape)(input);
  const lower = end(options, lowerKeys);
  const upper = end(options, upperKeys);
  return {
    kind: 'range',
    at,
    field: key,
    ...(lower && { lower }),
    ...(upper && { upper }),
    ...(options.format && { format: options.format }),
    ...(options.time_zone && { timeZone: options.time_zone }),
  };
};

/** Checks that a value is a text. It is parsed when the field is known. */
const bare: Read<Input> = (input) => {
  bareText(input);
  return input;
};

const relation: Read<string> = (input) => {
  const value = text(input);
  if (!/^(?:intersects|contains|within|disjoint)$/i.test(value))
    throw illegalArgument(`${value} is not a valid relation`, input);
  return value;
};

const shape = {
  gt: anything,
  gte: anything,
  lt: anything,
  lte: anything,
  from: anything,
  to: anything,
  include_lower: flag,
  include_upper: flag,
  format: bare,
  time_zone: bare,
  relation,
  ...unchecked,
} as const;

const lowerKeys = ['gt', 'gte', 'from', 'include_lower'] as const;
const upperKeys = ['lt', 'lte', 'to', 'include_upper'] as const;

/** Returns one end of a range. As in the engines, each key replaces what earlier ones said; `null` leaves it open. */
const end = (
  options: Shaped<typeof shape>,
  [exclusive, inclusive, old, includes]: typeof lowerKeys | typeof upperKeys,
): RangeEnd | undefined => {
  let value: Input | undefined;
  let isInclusive = true;
  for (const key in options) {
    if (key === includes) isInclusive = options[key] ?? true;
    else if (key === exclusive || key === inclusive || key === old) {
      const found = options[key]!;
      value = found.isNull ? undefined : given('range', found, found);
      if (key !== old) isInclusive = key === inclusive;
    }
  }
  return value && { value, inclusive: isInclusive };
};

export const bindRange = (query: RangeQuery, binding: Binding): Predicate => {
  // An invalid format or time zone is a fault whatever the field is.
  const reading = dateReading(binding.now, query.format, query.timeZone);
  const field = findField(binding.fields, query.field, query.at);
  if (field === undefined) return none;
  switch (field.kind) {
    case 'date':
      return dateRange(field, query, reading);
    case 'long':
      return wholeRange(field, query);
    case 'double':
      return between(field, query, (input) => decimalEnd(scalarText(input) ?? '', input));
    case 'keyword':
    case 'boolean':
      return between(field, query, (input) => {
        const coerced = coerce(field, input);
        return coerced === 'none' ? '' : coerced.value;
      });
    case 'geo_point':
      if (query.lower === undefined && query.upper === undefined) return { kind: 'exists', field };
      throw illegalArgument(`Field [${field.path}] of type [${field.kind}] does not support range queries`, query.at);
  }
};

const dateRange = (field: Field, { lower, upper }: RangeQuery, reading: DateReading): Predicate => {
  const from = lower && dateOf(lower.value, !lower.inclusive, reading) + (lower.inclusive ? 0 : 1);
  const to = upper && dateOf(upper.value, upper.inclusive, reading) - (upper.inclusive ? 0 : 1);
  return millisBetween(field, from, to);
};

const between = (field: Field, { lower, upper }: RangeQuery, read: (input: Input) => string | number): Predicate => {
  const bound = (end: RangeEnd): Bound => ({ value: read(end.value), inclusive: end.inclusive });
  return { kind: 'range', field, ...(lower && { lower: bound(lower) }), ...(upper && { upper: bound(upper) }) };
};

/** Builds a range over whole numbers. Bounds with a fraction move to the next whole number inside. */
const wholeRange = (field: Field, { lower, upper }: RangeQuery): Predicate => {
  const bound = (end: RangeEnd, up: boolean): Bound => {
    const text = scalarText(end.value) ?? '';
    if (isNumber(text) && wholePart(text) === undefined) {
      const inside = up ? Math.ceil(Number(text)) : Math.floor(Number(text));
      return { value: field.valueType === 'long' ? `${BigInt(inside)}` : inside, inclusive: true };
    }
    return { value: wholeEnd(field, text, end.value), inclusive: end.inclusive };
  };
  return {
    kind: 'range',
    field,
    ...(lower && { lower: bound(lower, true) }),
    ...(upper && { upper: bound(upper, false) }),
  };
};
