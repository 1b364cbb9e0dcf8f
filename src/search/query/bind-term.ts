import { illegalArgument, queryShard } from '../failure.js';
import type { Field } from '../field/field.js';
import type { Input } from '../syntax/input.js';
import { isNumber, scalarText } from '../syntax/value.js';
import { type Binding, dateReading, known } from './binding.js';
import { all, type Bound, none, or, type Predicate } from './predicate.js';
import type { ExistsQuery, RangeEnd, RangeQuery, TermQuery, TermsQuery } from './query.js';
import { coerce, dateOf, decimalEnd, wholeEnd, wholePart } from './value-of.js';

export const bindTerm = (
  { field: path, value, caseInsensitive, timeZone, at }: TermQuery,
  binding: Binding,
): Predicate => {
  const field = known(binding.fields, path, at);
  if (field === undefined) return none;
  if (field.kind === 'geo_point') throw notFor(field, 'term', at);
  if (field.kind === 'date') return during(field, value, binding, timeZone);
  const coerced = coerce(field, value);
  if (coerced === 'none') return none;
  if (!caseInsensitive) return { kind: 'in', field, values: [coerced.value] };
  if (field.kind !== 'keyword') {
    throw queryShard(
      `[${field.path}] field which is of type [${field.kind}], does not support case insensitive term queries`,
      at,
    );
  }
  if (coerced.value === '') return none;
  return { kind: 'pattern', field, pattern: { kind: 'equal', text: `${coerced.value}` }, caseInsensitive };
};

export const bindTerms = ({ field: path, values, at }: TermsQuery, binding: Binding): Predicate => {
  const field = known(binding.fields, path, at);
  if (field === undefined || values.length === 0) return none;
  if (field.kind === 'geo_point') throw notFor(field, 'terms', at);
  if (field.kind === 'date') return or(values.map((value) => during(field, value, binding)));
  const found = values
    .map((value) => coerce(field, value))
    .flatMap((coerced) => (coerced === 'none' ? [] : [coerced.value]));
  return found.length === 0 ? none : { kind: 'in', field, values: found };
};

export const bindExists = ({ field: path, at }: ExistsQuery, { fields }: Binding): Predicate => {
  const field = known(fields, path, at);
  if (field !== undefined) return { kind: 'exists', field };
  const [root, ...keys] = path.split('.');
  if (keys.includes('')) return none;
  if (root === 'data' || root === 'metadata') return { kind: 'existsUnder', root, keys };
  const under = fields.matching(`${path}.*`);
  return under.some(({ always }) => always) ? all : or(under.map((inner) => ({ kind: 'exists', field: inner })));
};

export const bindRange = (query: RangeQuery, binding: Binding): Predicate => {
  const field = known(binding.fields, query.field, query.at);
  if (field === undefined) return none;
  switch (field.kind) {
    case 'date':
      return dateRange(field, query, binding);
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

/** A moment as PostgreSQL takes it; what lies beyond its calendar is at the end of it. */
export const timestamp = (millis: number): string => {
  if (millis > 8.2e15) return 'infinity';
  if (millis < -6.2e13) return '-infinity';
  return new Date(millis).toISOString().replace(/^\+0*/, '');
};

/** The records of a moment, to the millisecond, or of the day, month or year that a text names. */
const during = (field: Field, value: Input, { now }: Binding, timeZone?: Input): Predicate => {
  const reading = dateReading(now, undefined, timeZone);
  return millisBetween(field, dateOf(value, false, reading), dateOf(value, true, reading));
};

const dateRange = (field: Field, { lower, upper, format, timeZone }: RangeQuery, { now }: Binding): Predicate => {
  const reading = dateReading(now, format, timeZone);
  const from = lower && dateOf(lower.value, !lower.inclusive, reading) + (lower.inclusive ? 0 : 1);
  const to = upper && dateOf(upper.value, upper.inclusive, reading) - (upper.inclusive ? 0 : 1);
  return millisBetween(field, from, to);
};

/** Records see milliseconds: the last one is included whole. */
const millisBetween = (field: Field, from: number | undefined, to: number | undefined): Predicate => ({
  kind: 'range',
  field,
  ...(from === undefined ? {} : { lower: { value: timestamp(from), inclusive: true } }),
  ...(to === undefined ? {} : { upper: { value: timestamp(to + 1), inclusive: false } }),
});

const between = (field: Field, { lower, upper }: RangeQuery, read: (input: Input) => string | number): Predicate => {
  const bound = (end: RangeEnd): Bound => ({ value: read(end.value), inclusive: end.inclusive });
  return { kind: 'range', field, ...(lower && { lower: bound(lower) }), ...(upper && { upper: bound(upper) }) };
};

/** A range over whole numbers: bounds with a fraction move to the whole number inside. */
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

const notFor = (field: Field, clause: string, at: Input) =>
  queryShard(`Field [${field.path}] is of unsupported type [${field.kind}] for [${clause}] query`, at);
