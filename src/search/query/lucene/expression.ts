import type { WildcardPart } from '../predicate.js';

/** One end of a written range; undefined for `*`. */
export interface WrittenEnd {
  readonly text: string;
  readonly inclusive: boolean;
}

/** What a written query asks of one field, or of the default ones. */
export type Leaf =
  /** `bare`: neither in quotes nor of a simple syntax. */
  | { readonly kind: 'term'; readonly text: string; readonly bare?: boolean }
  | { readonly kind: 'prefix'; readonly text: string }
  | { readonly kind: 'wildcard'; readonly parts: readonly WildcardPart[] }
  | { readonly kind: 'regexp'; readonly text: string }
  | { readonly kind: 'range'; readonly lower?: WrittenEnd; readonly upper?: WrittenEnd }
  | { readonly kind: 'any' };

/** Whether a clause must match, may, or must not. */
export type Occur = 'must' | 'should' | 'mustNot';

/** A clause of a written query. */
export interface WrittenClause {
  readonly occur: Occur;
  readonly expression: Expression;
}

/** A written query, parsed. A leaf without a field asks the default fields. */
export type Expression =
  | { readonly kind: 'all' }
  | { readonly kind: 'bool'; readonly clauses: readonly WrittenClause[] }
  | { readonly kind: 'leaf'; readonly field?: string; readonly leaf: Leaf }
  | { readonly kind: 'exists'; readonly field: string };
