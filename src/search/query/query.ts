import type { BoolQuery } from './bool.js';
import type { Clause } from './clause-node.js';
import type { ExistsQuery } from './exists.js';
import type { GeoBoxQuery, GeoDistanceQuery } from './geo-clause.js';
import type { IdsQuery } from './ids.js';
import type { MatchQuery, MultiMatchQuery } from './match.js';
import type { NamedQuery } from './named.js';
import type { PatternQuery } from './pattern-clause.js';
import type { QueryStringQuery } from './query-string.js';
import type { RangeQuery } from './range-clause.js';
import type { BoostingQuery, DisMaxQuery } from './scoring.js';
import type { SimpleQueryStringQuery } from './simple-query-string.js';
import type { TermQuery } from './term.js';
import type { TermsQuery } from './terms.js';

/** A parsed query, before its fields are known. It omits everything that only changes scores. */
export type Query =
  | Clause<'match_all'>
  | Clause<'match_none'>
  | NamedQuery<Query>
  | BoolQuery<Query>
  | TermQuery
  | TermsQuery
  | RangeQuery
  | ExistsQuery
  | IdsQuery
  | PatternQuery
  | MatchQuery
  | MultiMatchQuery
  | BoostingQuery<Query>
  | DisMaxQuery<Query>
  | QueryStringQuery
  | SimpleQueryStringQuery
  | GeoDistanceQuery
  | GeoBoxQuery;
