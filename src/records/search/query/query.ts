import type { Input } from '../syntax/input.js';

interface Clause<K extends string> {
  readonly kind: K;
  /** Where the clause stands, for faults that only show once its field is known. */
  readonly at: Input;
}

interface FieldClause<K extends string> extends Clause<K> {
  readonly field: string;
}

export interface BoolQuery extends Clause<'bool'> {
  readonly must: readonly Query[];
  readonly filter: readonly Query[];
  readonly should: readonly Query[];
  readonly mustNot: readonly Query[];
  /** As written: a number, `75%`, `2<-25%`. */
  readonly minimumShouldMatch?: string;
}

export interface TermQuery extends FieldClause<'term'> {
  readonly value: Input;
  readonly caseInsensitive: boolean;
}

export interface TermsQuery extends FieldClause<'terms'> {
  readonly values: readonly Input[];
}

/** One end of a range as it was asked for. */
export interface RangeEnd {
  readonly value: Input;
  readonly inclusive: boolean;
}

export interface RangeQuery extends FieldClause<'range'> {
  readonly lower?: RangeEnd;
  readonly upper?: RangeEnd;
  readonly format?: Input;
  readonly timeZone?: Input;
}

export interface ExistsQuery extends FieldClause<'exists'> {}

export interface IdsQuery extends Clause<'ids'> {
  readonly values: readonly string[];
}

/** A query as it was asked, typed, before its fields are known. Whatever only changes scores is gone. */
export type Query =
  | Clause<'match_all'>
  | Clause<'match_none'>
  | BoolQuery
  | TermQuery
  | TermsQuery
  | RangeQuery
  | ExistsQuery
  | IdsQuery;
