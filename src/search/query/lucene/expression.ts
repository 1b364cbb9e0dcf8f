import type { WildcardPart } from '../predicate.js';

/** One end of a written range; undefined for `*`. */
export interface WrittenEnd {
  readonly text: string;
  readonly inclusive: boolean;
}

/** A condition of a written query on one field, or on the default fields. */
export type LuceneLeaf =
  /** `bare` marks a term that is unquoted and not of the simple syntax. */
  | { readonly kind: 'term'; readonly text: string; readonly bare?: boolean }
  | { readonly kind: 'prefix'; readonly text: string }
  | { readonly kind: 'wildcard'; readonly parts: readonly WildcardPart[] }
  | { readonly kind: 'regexp'; readonly text: string }
  | { readonly kind: 'range'; readonly lower?: WrittenEnd; readonly upper?: WrittenEnd }
  | { readonly kind: 'any' };

/** Whether a clause must, should or must not match. */
export type Occur = 'must' | 'should' | 'mustNot';

/** A clause of a written query. */
export interface WrittenClause {
  readonly occur: Occur;
  readonly expression: Expression;
}

/** A parsed written query. A leaf without a field applies to the default fields. */
export type Expression =
  | { readonly kind: 'all' }
  | { readonly kind: 'bool'; readonly clauses: readonly WrittenClause[] }
  | { readonly kind: 'leaf'; readonly field?: string; readonly leaf: LuceneLeaf }
  | { readonly kind: 'exists'; readonly field: string };
