import type { BoolQuery } from './bool.js';
import type { BoostingQuery } from './boosting.js';
import type { DisMaxQuery } from './dis-max.js';
import type { ExistsQuery } from './exists.js';
import type { GeoBoxQuery } from './geo-bounding-box.js';
import type { GeoDistanceQuery } from './geo-distance.js';
import type { IdsQuery } from './ids.js';
import type { MatchQuery } from './match.js';
import type { MultiMatchQuery } from './multi-match.js';
import type { NamedQuery } from './named.js';
import type { Clause } from './node.js';
import type { PatternQuery } from './option/pattern.js';
import type { QueryStringQuery } from './query-string.js';
import type { RangeQuery } from './range.js';
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
