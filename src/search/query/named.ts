import type { Entry, Input } from '../syntax/input.js';
import { scalarText } from '../syntax/value.js';
import type { BindInner, Binding } from './binding.js';
import type { Clause } from './node.js';
import type { Predicate } from './predicate.js';

/** A clause with a name, by which hits say that they match it. */
export interface NamedQuery<Q> extends Clause<'named'> {
  readonly name: string;
  readonly of: Q;
}

/** The name of each named clause of a query, and what the clause asks. */
export type NamedPredicates = ReadonlyMap<string, Predicate>;

/** The clauses that take their name inside of the object of their field. */
const byField: ReadonlySet<string> = new Set([
  'term',
  'range',
  'prefix',
  'wildcard',
  'regexp',
  'match',
  'match_phrase',
  'match_bool_prefix',
]);

/** Returns the name of a clause that was read without a fault; undefined where it has none. */
export const nameOf = ({ key, input }: Entry): string | undefined => {
  const at = byField.has(key) ? fieldOptions(input) : input;
  const name = at?.get('_name');
  return name === undefined ? undefined : scalarText(name);
};

/** Returns the object behind the only field of a clause. */
const fieldOptions = (input: Input): Input | undefined =>
  input
    .members()
    .flatMap((field) => field.input.items())
    .find(({ isObject }) => isObject);

/** Wraps a clause that has a name. */
export const withName = <Q>(entry: Entry, of: Q): Q | NamedQuery<Q> => {
  const name = nameOf(entry);
  return name === undefined ? of : { kind: 'named', at: entry.input, name, of };
};

/** Asks what its clause asks, and keeps it under its name. The clause that is bound last has a name that several have. */
export const bindNamed = <Q>({ name, of }: NamedQuery<Q>, { named }: Binding, inner: BindInner<Q>): Predicate => {
  const predicate = inner(of);
  named?.set(name, predicate);
  return predicate;
};
