import type { Field } from '#search/field/field.js';
import { illegalArgument, parsing, queryShard } from '#search/search-failure.js';
import type { Entry, Input } from '#search/syntax/input.js';
import type { KeyReaders, Shaped } from '#search/syntax/object.js';
import { kindOf, noText } from '#search/syntax/value.js';
import { trusting } from '../clause.js';

/** Returns the only field that a clause names, apart from `options`. */
export const onlyField = (name: string, at: Input, options: readonly string[] = []): Entry => {
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

/** Parses the options of a clause on one field. Its value alone may replace them. */
export const fieldOptions = <S extends KeyReaders>(
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

export const given = (name: string, value: Input | undefined, at: Input): Input => {
  if (value === undefined || value.isNull) throw illegalArgument('value cannot be null', value ?? at);
  if (value.isObject || value.isArray) throw parsing(`[${name}] query does not support [${kindOf(value)}]`, value);
  return value;
};

export const notFor = (field: Field, clause: string, at: Input) =>
  queryShard(`Field [${field.path}] is of unsupported type [${field.kind}] for [${clause}] query`, at);
