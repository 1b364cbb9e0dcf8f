import { illegalArgument, parsing } from '../search-failure.js';
import type { Entry, Input } from '../syntax/input.js';
import { lookUp } from '../syntax/look-up.js';
import { bool } from './bool.js';
import type { ParseInner } from './clause.js';
import { exists } from './exists.js';
import { geoBoundingBox, geoDistance } from './geo-clause.js';
import { ids } from './ids.js';
import { type MatchQuery, match, matchAll, matchBoolPrefix, matchNone, matchPhrase, multiMatch } from './match.js';
import { withName } from './named.js';
import { type PatternQuery, prefix, regexp, wildcard } from './pattern-clause.js';
import type { Query } from './query.js';
import { queryString } from './query-string.js';
import { range } from './range-clause.js';
import { boosting, constantScore, disMax, functionScore } from './scoring.js';
import { simpleQueryString } from './simple-query-string.js';
import { term } from './term.js';
import { terms } from './terms.js';

type ParseQuery<Q extends Query = Query> = (at: Input, inner: ParseInner<Query>) => Q;

/** Parsers of clauses whose name is also their kind of query. */
type KindParsers = {
  readonly [K in Exclude<Query['kind'], 'named' | 'pattern'>]: ParseQuery<Extract<Query, { kind: K }>>;
};

/** Parsers of all other clauses: several of them are one kind of query, or wrap another clause. */
type OtherParsers = {
  readonly prefix: ParseQuery<PatternQuery>;
  readonly wildcard: ParseQuery<PatternQuery>;
  readonly regexp: ParseQuery<PatternQuery>;
  readonly match_phrase: ParseQuery<MatchQuery>;
  readonly match_bool_prefix: ParseQuery<MatchQuery>;
  readonly constant_score: ParseQuery;
  readonly function_score: ParseQuery;
};

const parsers: KindParsers & OtherParsers = {
  match_all: matchAll,
  match_none: matchNone,
  bool,
  constant_score: constantScore,
  term,
  terms,
  range,
  exists,
  ids,
  prefix,
  wildcard,
  regexp,
  match,
  match_phrase: matchPhrase,
  match_bool_prefix: matchBoolPrefix,
  multi_match: multiMatch,
  query_string: queryString,
  simple_query_string: simpleQueryString,
  geo_distance: geoDistance,
  geo_bounding_box: geoBoundingBox,
  dis_max: disMax,
  boosting,
  function_score: functionScore,
};

/** Maximum number of clauses of a query, and maximum nesting. */
const maxClauses = 1024;

const maxNesting = 20;

/** Parses a query: an object with the name of one clause. */
export const parseQuery = (input: Input): Query => {
  let clauses = 0;
  const read =
    (depth: number) =>
    (inner: Input): Query => {
      clauses += 1;
      if (clauses > maxClauses) throw illegalArgument(`maxClauseCount is set to ${maxClauses}`, inner);
      if (depth > maxNesting) {
        throw illegalArgument(
          `The nested depth of the query exceeds the maximum nested depth for queries set in [${maxNesting}]`,
          inner,
        );
      }
      const entry = onlyClause(inner);
      const parse = lookUp<ParseQuery>(parsers, entry, `unknown query [${entry.key}]`);
      return withName(entry, parse(entry.input, read(depth + 1)));
    };
  return read(1)(input);
};

const onlyClause = (input: Input): Entry => {
  if (!input.isObject) throw parsing('[_na] query malformed, must start with start_object', input);
  const [entry, second] = input.members();
  if (entry === undefined) {
    const { line, col } = input.end;
    throw illegalArgument(`query malformed, empty clause found${line > 0 ? ` at [${line}:${col}]` : ''}`, input.end);
  }
  if (!entry.input.isObject)
    throw parsing(`[${entry.key}] query malformed, no start_object after query name`, entry.input);
  if (second !== undefined) {
    throw parsing(`[${entry.key}] malformed query, expected [END_OBJECT] but found [FIELD_NAME]`, second.place);
  }
  return entry;
};
