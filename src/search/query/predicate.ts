import type { Field } from '../field/field.js';
import type { Point } from '../syntax/geo-point.js';
import type { Regexp } from './lucene/regexp-node.js';

/** A value that a field is compared with: decimal text for a `long`, ISO 8601 text or `infinity` for a `timestamp` (see `ValueType`). */
export type Value = string | number;

/** One end of a range. */
export interface Bound {
  readonly value: Value;
  readonly inclusive: boolean;
}

/** A pattern over whole texts, in a form that every store can take on. */
export type TextPattern =
  | { readonly kind: 'prefix'; readonly text: string }
  /** Parts of a wildcard: texts, `*` for any text, `?` for one character. */
  | { readonly kind: 'wildcard'; readonly parts: readonly WildcardPart[] }
  | RegexpPattern
  | { readonly kind: 'equal'; readonly text: string };

/** A regular expression of Lucene's: as written, with the flags of its operators where they are given, and parsed. */
export interface RegexpPattern {
  readonly kind: 'regexp';
  readonly text: string;
  readonly flags?: string;
  readonly expression: Regexp;
}

/** A part of a wildcard. */
export type WildcardPart = { readonly text: string } | '*' | '?';

/**
 * A query bound to fields: what can be asked of one record. Two-valued: a record without a value does not match a leaf,
 * and so does match its negation. A leaf over several values holds where one of them satisfies it.
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

/** Every record. */
export const all: Predicate = { kind: 'all' };

/** No record. */
export const none: Predicate = { kind: 'none' };

/** All of several, simplified: constants are folded, nested conjunctions flattened. */
export const and = (of: readonly Predicate[]): Predicate => {
  const parts = of.flatMap((part) => (part.kind === 'and' ? part.of : [part])).filter(({ kind }) => kind !== 'all');
  if (parts.some(({ kind }) => kind === 'none')) return none;
  return parts.length < 2 ? (parts[0] ?? all) : { kind: 'and', of: parts };
};

/** One of several, simplified likewise; values that one field may have become one list. */
export const or = (of: readonly Predicate[]): Predicate => {
  const parts = of.flatMap((part) => (part.kind === 'or' ? part.of : [part])).filter(({ kind }) => kind !== 'none');
  if (parts.some(({ kind }) => kind === 'all')) return all;
  const joined = parts.length < 2 ? parts : joinValues(parts);
  return joined.length < 2 ? (joined[0] ?? none) : { kind: 'or', of: joined };
};

type In = Extract<Predicate, { kind: 'in' }>;

/** A thousand words of a query would be as many conditions for each field otherwise. */
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

/** The records that do not match. */
export const not = (of: Predicate): Predicate => {
  if (of.kind === 'all') return none;
  if (of.kind === 'none') return all;
  return of.kind === 'not' ? of.of : { kind: 'not', of };
};

/** At least so many of several, simplified. */
export const atLeastOf = (count: number, of: readonly Predicate[]): Predicate => {
  if (count <= 0) return all;
  if (count > of.length) return none;
  if (count === of.length) return and(of);
  return count === 1 ? or(of) : { kind: 'atLeast', count, of };
};

/** The fields that a predicate reads. */
export const fieldsOf = (predicate: Predicate): Field[] => {
  if ('field' in predicate) return [predicate.field];
  if (predicate.kind === 'not') return fieldsOf(predicate.of);
  return 'of' in predicate ? (predicate.of as readonly Predicate[]).flatMap(fieldsOf) : [];
};
