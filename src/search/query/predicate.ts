import { keysOfPath } from '#json/key-path.js';
import type { Field } from '../field/field.js';
import type { Point } from '../syntax/geo-point.js';
import type { Regexp } from './lucene/regexp-node.js';

/**
 * A value that a field is compared with: decimal text for a `long`, ISO 8601 text or `infinity` for a `timestamp` (see
 * `ValueType`).
 */
export type Value = string | number;

/** One end of a range. */
export interface Bound {
  readonly value: Value;
  readonly inclusive: boolean;
}

/** A pattern over whole texts, in a form for every store. */
export type TextPattern =
  | { readonly kind: 'prefix'; readonly text: string }
  /** Parts of a wildcard: texts, `*` for any text, `?` for one character. */
  | { readonly kind: 'wildcard'; readonly parts: readonly WildcardPart[] }
  | RegexpPattern
  | { readonly kind: 'equal'; readonly text: string };

/** A regular expression of Lucene: as written, with the flags of its operators if given, and parsed. */
export interface RegexpPattern {
  readonly kind: 'regexp';
  readonly text: string;
  readonly flags?: string;
  readonly expression: Regexp;
}

export type WildcardPart = { readonly text: string } | '*' | '?';

/**
 * A query bound to fields: a condition on one record. It has two truth values: a record without a value does not match
 * a leaf, so it matches the negation. A leaf over several values holds if one of them satisfies it.
 */
export type Predicate =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'and'; readonly of: readonly Predicate[] }
  | { readonly kind: 'or'; readonly of: readonly Predicate[] }
  | { readonly kind: 'not'; readonly of: Predicate }
  | { readonly kind: 'atLeast'; readonly count: number; readonly of: readonly Predicate[] }
  | { readonly kind: 'in'; readonly field: Field; readonly values: readonly Value[] }
  | { readonly kind: 'range'; readonly field: Field; readonly lower?: Bound; readonly upper?: Bound }
  | { readonly kind: 'exists'; readonly field: Field }
  | { readonly kind: 'existsUnder'; readonly root: 'data' | 'metadata'; readonly keys: readonly string[] }
  | {
      readonly kind: 'pattern';
      readonly field: Field;
      readonly pattern: TextPattern;
      readonly caseInsensitive: boolean;
    }
  | { readonly kind: 'near'; readonly field: Field; readonly center: Point; readonly metres: number }
  | { readonly kind: 'box'; readonly field: Field; readonly northWest: Point; readonly southEast: Point };

/** Matches every record. */
export const all: Predicate = { kind: 'all' };

/** Matches no record. */
export const none: Predicate = { kind: 'none' };

/** Builds a conjunction. It folds constants and flattens nested conjunctions. */
export const and = (of: readonly Predicate[]): Predicate => {
  const parts = of.flatMap((part) => (part.kind === 'and' ? part.of : [part])).filter(({ kind }) => kind !== 'all');
  if (parts.some(({ kind }) => kind === 'none')) return none;
  return parts.length < 2 ? (parts[0] ?? all) : { kind: 'and', of: parts };
};

/** Builds a disjunction, simplified likewise. Values of the same field become one list. */
export const or = (of: readonly Predicate[]): Predicate => {
  const parts = of.flatMap((part) => (part.kind === 'or' ? part.of : [part])).filter(({ kind }) => kind !== 'none');
  if (parts.some(({ kind }) => kind === 'all')) return all;
  const joined = parts.length < 2 ? parts : joinValues(parts);
  return joined.length < 2 ? (joined[0] ?? none) : { kind: 'or', of: joined };
};

type In = Extract<Predicate, { kind: 'in' }>;

/**
 * Joins the values of conditions on the same field. Otherwise, a query of a thousand words would become a thousand
 * conditions for each field.
 */
const joinValues = (parts: readonly Predicate[]): readonly Predicate[] => {
  const lists = Map.groupBy(
    parts.filter((part): part is In => part.kind === 'in'),
    ({ field }) => field.path,
  );
  if ([...lists.values()].every(({ length }) => length === 1)) return parts;
  return [
    ...[...lists.values()].map(([first, ...rest]): In => {
      if (rest.length === 0) return first!;
      return { ...first!, values: [...new Set([...first!.values, ...rest.flatMap(({ values }) => values)])] };
    }),
    ...parts.filter(({ kind }) => kind !== 'in'),
  ];
};

/** Builds a negation. */
export const not = (of: Predicate): Predicate => {
  if (of.kind === 'all') return none;
  if (of.kind === 'none') return all;
  return of.kind === 'not' ? of.of : { kind: 'not', of };
};

/** Builds the condition that at least `count` predicates hold, simplified. */
export const atLeastOf = (count: number, of: readonly Predicate[]): Predicate => {
  if (count <= 0) return all;
  if (count > of.length) return none;
  if (count === of.length) return and(of);
  return count === 1 ? or(of) : { kind: 'atLeast', count, of };
};

/** Returns the fields that a predicate reads. One that looks under keys reads a field without a path. */
export const fieldsOf = (predicate: Predicate): Field[] => {
  if ('field' in predicate) return [predicate.field];
  if (predicate.kind === 'existsUnder') return [fieldUnder(predicate)];
  if (predicate.kind === 'not') return fieldsOf(predicate.of);
  return 'of' in predicate ? (predicate.of as readonly Predicate[]).flatMap(fieldsOf) : [];
};

const fieldUnder = ({ root, keys }: Extract<Predicate, { kind: 'existsUnder' }>): Field => ({
  path: '',
  kind: 'keyword',
  valueType: 'text',
  origin: { kind: 'undeclared', root, keys: keys.length === 0 ? [] : keysOfPath(keys.join('.')) },
  multi: true,
  always: false,
  ofDevice: false,
});
