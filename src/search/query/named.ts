import type { Entry, Input } from '../syntax/input.js';
import { scalarText } from '../syntax/value.js';
import type { BindInner, Binding } from './binding.js';
import type { Clause } from './clause-node.js';
import type { Predicate } from './predicate.js';

/** A clause with a name, which hits that match it list. */
export interface NamedQuery<Q> extends Clause<'named'> {
  readonly name: string;
  readonly of: Q;
}

/** The predicate of each named clause of a query, by name. */
export type NamedPredicates = ReadonlyMap<string, Predicate>;

/** Clauses whose name is inside the object of their field. */
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

/** Returns the name of a clause that was parsed without a fault; undefined without one. */
export const clauseName = ({ key, input }: Entry): string | undefined => {
  const at = byField.has(key) ? fieldOptions(input) : input;
  const name = at?.get('_name');
  return name === undefined ? undefined : scalarText(name);
};

/** Returns the object of the single field of a clause. */
const fieldOptions = (input: Input): Input | undefined =>
  input
    .members()
    .flatMap((field) => field.input.items())
    .find(({ isObject }) => isObject);

/** Wraps a clause that has a name. */
export const withName = <Q>(entry: Entry, of: Q): Q | NamedQuery<Q> => {
  const name = clauseName(entry);
  return name === undefined ? of : { kind: 'named', at: entry.input, name, of };
};

/** Binds the clause and registers it under its name. If several clauses share a name, the last one bound keeps it. */
export const bindNamed = <Q>({ name, of }: NamedQuery<Q>, { named }: Binding, inner: BindInner<Q>): Predicate => {
  const predicate = inner(of);
  named?.set(name, predicate);
  return predicate;
};
