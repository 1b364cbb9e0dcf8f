import type { Point } from '../syntax/geo-point.js';
import type { Input } from '../syntax/input.js';
import type { TextPattern } from './predicate.js';

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
  /** Of dates; only written queries have one. */
  readonly timeZone?: Input;
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

/** A clause over whole texts: `prefix`, `wildcard` or `regexp`. */
export interface PatternQuery extends FieldClause<'pattern'> {
  readonly clause: 'prefix' | 'wildcard' | 'regexp';
  readonly pattern: TextPattern;
  readonly caseInsensitive: boolean;
}

/** `match` and its kin: our texts are keywords, so a text matches as a whole, or by its beginning. */
export interface MatchQuery extends FieldClause<'match'> {
  readonly value: Input;
  readonly lenient: boolean;
  readonly prefix: boolean;
}

export interface MultiMatchQuery extends Clause<'multi_match'> {
  /** Paths, or patterns with `*`; empty for all fields. */
  readonly fields: readonly string[];
  readonly value: Input;
  readonly lenient: boolean;
  readonly prefix: boolean;
}

/** Its `negative` only lowers scores; it must fit its fields all the same. */
export interface BoostingQuery extends Clause<'boosting'> {
  readonly positive: Query;
  readonly negative: Query;
}

export interface OrQuery extends Clause<'or'> {
  readonly queries: readonly Query[];
}

/** What `query_string` and `simple_query_string` have in common. */
interface Written {
  readonly text: string;
  readonly fields: readonly string[];
  readonly and: boolean;
  readonly lenient: boolean;
  readonly minimumShouldMatch?: string;
}

export interface QueryStringQuery extends Clause<'query_string'>, Written {
  /** Whether `>10` and its like are ranges where no field is named. */
  readonly compares: boolean;
  readonly timeZone?: Input;
}

export interface SimpleQueryStringQuery extends Clause<'simple_query_string'>, Written {
  /** Operators that are on, by the engines' names; undefined for all. */
  readonly flags?: ReadonlySet<string>;
}

export interface GeoDistanceQuery extends FieldClause<'geo_distance'> {
  readonly center: Point;
  readonly metres: number;
  readonly ignoreUnmapped: boolean;
}

export interface GeoBoxQuery extends FieldClause<'geo_bounding_box'> {
  readonly northWest: Point;
  readonly southEast: Point;
  readonly ignoreUnmapped: boolean;
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
  | IdsQuery
  | PatternQuery
  | MatchQuery
  | MultiMatchQuery
  | BoostingQuery
  | OrQuery
  | QueryStringQuery
  | SimpleQueryStringQuery
  | GeoDistanceQuery
  | GeoBoxQuery;
