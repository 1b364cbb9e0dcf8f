import { isStorable } from '#entities/storable.js';
import type { Field } from '#search/field/field.js';
import { SearchFailure } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import { scalarText } from '#search/syntax/value.js';
import { type Binding, findField } from '../binding.js';
import { none, type Predicate } from '../predicate.js';
import { bindTerm } from '../term.js';

interface Matching {
  readonly lenient: boolean;
  readonly prefix: boolean;
  readonly at: Input;
}

/** Matches a value of a query against a field: text as a whole, everything else exactly. */
export const matching = (
  field: Field | undefined,
  value: Input,
  { lenient, prefix, at }: Matching,
  binding: Binding,
): Predicate => {
  if (field === undefined) return none;
  if (prefix && field.kind === 'keyword') {
    const text = scalarText(value) ?? '';
    return isStorable(text)
      ? { kind: 'pattern', field, pattern: { kind: 'prefix', text }, caseInsensitive: false }
      : none;
  }
  const term = { kind: 'term', field: field.path, value, caseInsensitive: false, at } as const;
  return leniently(lenient, () => bindTerm(term, binding)) ?? none;
};

/** Binds a condition. If the field cannot have the value, a lenient query gets undefined and matches nothing. */
export const leniently = (lenient: boolean, bind: () => Predicate): Predicate | undefined => {
  try {
    return bind();
  } catch (error) {
    if (lenient && error instanceof SearchFailure) return undefined;
    throw error;
  }
};

/** Fields that no pattern matches, as in the engines. */
const namedAlone = new Set(['_doc', '_id']);

/** Returns the fields of names and patterns; without names, all fields that can be searched by text. */
export const expand = (names: readonly string[], at: Input, { fields, lookups }: Binding): Field[] => {
  const patterns = names.length === 0 ? ['*'] : names;
  return patterns.flatMap((name) => {
    const found = name.includes('*')
      ? fields.matching(name).filter(({ kind, path }) => kind !== 'geo_point' && !namedAlone.has(path))
      : [findField(fields, name, at) ?? []].flat();
    lookups?.add(found.length, at);
    return found;
  });
};
