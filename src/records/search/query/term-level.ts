import { illegalArgument, parsing } from '../failure.js';
import type { Entry, Input } from '../syntax/input.js';
import { object, type Shape, type Shaped } from '../syntax/object.js';
import { anything, flag, ignored, kindOf, listOf, text } from '../syntax/value.js';
import { common, type ParseQuery } from './clause.js';
import type { RangeEnd } from './query.js';

/** How many values `terms` may list. */
const maxTerms = 65_536;

/** The only field that a clause names, beside `boost` and `_name`. */
export const onlyField = (name: string, at: Input): Entry => {
  const [entry, second] = at.members().filter(({ key }) => key !== 'boost' && key !== '_name');
  if (entry === undefined) throw illegalArgument(`[${name}] query must name a field`, at);
  if (second !== undefined) {
    throw parsing(
      `[${name}] query doesn't support multiple fields, found [${entry.key}] and [${second.key}]`,
      second.place,
    );
  }
  return entry;
};

/** The options of a clause on one field, whose value alone may stand in place of them. */
export const fieldOptions = <S extends Shape>(
  name: string,
  at: Input,
  shape: S,
  short: keyof S,
): { field: string; options: Shaped<S> } => {
  const { key, input } = onlyField(name, at);
  if (input.isArray) throw parsing(`[${name}] query does not support array of values`, input);
  const options = input.isObject ? handWritten(name, shape)(input) : ({ [short]: shape[short]!(input) } as Shaped<S>);
  return { field: key, options };
};

/** Like {@link object}, for clauses whose parsers the engines wrote by hand: they name an unknown key in another sentence. */
export const handWritten =
  <S extends Shape>(name: string, shape: S) =>
  (input: Input): Shaped<S> => {
    const unknown = input.members().find(({ key }) => !Object.hasOwn(shape, key));
    if (unknown !== undefined) throw parsing(`[${name}] query does not support [${unknown.key}]`, unknown.input);
    return object(name, shape)(input);
  };

const given = (name: string, value: Input | undefined, at: Input): Input => {
  if (value === undefined || value.isNull) throw illegalArgument('value cannot be null', value ?? at);
  if (value.isObject || value.isArray) throw parsing(`[${name}] query does not support [${kindOf(value)}]`, value);
  return value;
};

export const term: ParseQuery = (at) => {
  const { field, options } = fieldOptions(
    'term',
    at,
    { value: anything, term: anything, case_insensitive: flag, ...common },
    'value',
  );
  return {
    kind: 'term',
    at,
    field,
    value: given('term', options.value ?? options.term, at),
    caseInsensitive: options.case_insensitive ?? false,
  };
};

export const terms: ParseQuery = (at) => {
  const { key, input } = onlyField('terms', at);
  if (!input.isArray) throw parsing(`[terms] query does not support [${key}]`, input);
  const values = input.items();
  if (values.length > maxTerms) {
    throw illegalArgument(
      `The number of terms [${values.length}] used in the Terms Query request has exceeded the allowed maximum of [${maxTerms}].`,
      input,
    );
  }
  return { kind: 'terms', at, field: key, values: values.map((value) => given('terms', value, input)) };
};

export const range: ParseQuery = (at) => {
  const { key, input } = onlyField('range', at);
  if (!input.isObject) throw parsing(`[range] query does not support [${key}]`, input);
  const options = handWritten('range', {
    gt: anything,
    gte: anything,
    lt: anything,
    lte: anything,
    from: anything,
    to: anything,
    include_lower: flag,
    include_upper: flag,
    format: anything,
    time_zone: anything,
    relation: text,
    ...common,
  })(input);
  const lower = end([options.gt, false], [options.gte, true], [options.from, options.include_lower ?? true]);
  const upper = end([options.lt, false], [options.lte, true], [options.to, options.include_upper ?? true]);
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

/** The end of a range: the one that was given; `null` leaves it open. */
const end = (...candidates: readonly [Input | undefined, boolean][]): RangeEnd | undefined => {
  for (const [value, inclusive] of candidates) {
    if (value !== undefined && !value.isNull) return { value: given('range', value, value), inclusive };
  }
  return undefined;
};

export const exists: ParseQuery = (at) => {
  const { field } = handWritten('exists', { field: text, ...common })(at);
  if (field === undefined) throw parsing('[exists] must be provided with a [field]', at);
  return { kind: 'exists', at, field };
};

export const ids: ParseQuery = (at) => {
  const { values } = object('ids', { values: listOf(text), type: ignored, ...common })(at);
  if (values === undefined) throw parsing('[ids] requires values', at);
  return { kind: 'ids', at, values };
};
