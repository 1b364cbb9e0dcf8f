import { illegalArgument, parsing } from '../failure.js';
import type { Entry, Input } from '../syntax/input.js';
import { object, type Shape, type Shaped } from '../syntax/object.js';
import {
  anything,
  bareText,
  flag,
  ignored,
  kindOf,
  noText,
  type Read,
  scalarText,
  string,
  text,
} from '../syntax/value.js';
import { common, handWritten, loosely, type ParseQuery, trusting, unchecked } from './clause.js';
import type { RangeEnd } from './query.js';

/** How many values `terms` may list. */
const maxTerms = 65_536;

/** The only field that a clause names, beside `options`. */
const onlyField = (name: string, at: Input, options: readonly string[] = []): Entry => {
  const [entry, second] = at
    .members()
    .filter(({ key, input }) => !options.includes(key) && !(name === 'term' && input.isNull));
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
  read: typeof trusting = trusting,
): { field: string; options: Shaped<S> } => {
  if (read !== trusting && at.members().length === 0)
    throw name === 'match'
      ? parsing('No text specified for text query', at)
      : illegalArgument(`[${name}] requires fieldName`, at);
  const { key, input } = onlyField(name, at);
  if (input.isArray)
    throw name === 'term' ? parsing('[term] query does not support array of values', input) : noText(input);
  const options = input.isObject ? read(name, shape)(input) : ({ [short]: shape[short]!(input) } as Shaped<S>);
  return { field: key, options };
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
    { value: anything, term: anything, case_insensitive: flag, ...unchecked },
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
  const fields = at.members().filter(({ key }) => !Object.hasOwn(loosely, key));
  handWritten('terms', { ...loosely, ...Object.fromEntries(fields.map(({ key }) => [key, anything])) })(at);
  if (fields.length === 0) throw parsing('[terms] query requires a field name, followed by array of terms', at);
  const { key, input } = onlyField('terms', at, Object.keys(loosely));
  if (input.isObject) refuseLookup(input);
  if (!input.isArray) throw parsing(`[terms] query does not support [${key}]`, input);
  const values = input.items();
  if (values.length > maxTerms) {
    throw illegalArgument(
      `The number of terms [${values.length}] used in the Terms Query request has exceeded the allowed maximum of [${maxTerms}].`,
      input,
    );
  }
  return { kind: 'terms', at, field: key, values: values.map(listed) };
};

const listed: Read<Input> = (value) => {
  if (value.isNull) throw parsing('No value specified for terms query', value);
  return given('terms', value, value);
};

/** Terms of another document: read as far as the engines do, and refused, since records are no documents to look up. */
const refuseLookup = (input: Input): never => {
  const { index, id, path } = object('terms_lookup', { index: text, id: text, path: text, routing: text })(input);
  if (index === undefined || id === undefined || path === undefined)
    throw illegalArgument('Required [index, id, path]', input);
  throw parsing('[terms] of another document are not supported', input);
};

/** The only field of a range. What is no object, nor an array of one, the engines pass over, or refuse as an option. */
const rangedField = (at: Input): Entry | undefined => {
  const members = at.members().filter(({ key }) => key !== '_name');
  const unknown = members.find(({ input }) => input.items().some((item) => scalarText(item) !== undefined));
  if (unknown !== undefined) throw parsing(`[range] query does not support [${unknown.key}]`, unknown.input);
  const [entry, second] = members.filter(({ input }) => input.items().some(({ isObject }) => isObject));
  if (second === undefined) return entry;
  throw parsing(
    `[range] query doesn't support multiple fields, found [${entry!.key}] and [${second.key}]`,
    second.place,
  );
};

export const range: ParseQuery = (at) => {
  const entry = rangedField(at);
  if (entry === undefined) throw illegalArgument('field name is null or empty', at);
  const { key } = entry;
  const input = entry.input.items().find(({ isObject }) => isObject)!;
  const options = trusting('range', {
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

/** A text that is read when the field is known. */
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

/** The end of a range: the one that was given; `null` leaves it open. */
const end = (...candidates: readonly [Input | undefined, boolean][]): RangeEnd | undefined => {
  for (const [value, inclusive] of candidates) {
    if (value !== undefined && !value.isNull) return { value: given('range', value, value), inclusive };
  }
  return undefined;
};

export const exists: ParseQuery = (at) => {
  const { field } = handWritten('exists', { field: text, ...loosely })(at);
  if (field === undefined) throw parsing('[exists] must be provided with a [field]', at);
  if (field === '') throw illegalArgument('field name is null or empty', at);
  return { kind: 'exists', at, field };
};

export const ids: ParseQuery = (at) => {
  const { values = [] } = object('ids', { values: idList, type: ignored, ...common })(at);
  if (values.includes('')) throw illegalArgument("Ids can't be empty", at);
  return { kind: 'ids', at, values };
};

const idList: Read<string[]> = (input) => {
  if (!input.isArray) return [string(input)];
  return input.items().map((item) => {
    return bareText(item);
  });
};
