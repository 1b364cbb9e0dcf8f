import { parsing, unknownName } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { byHand, number, type Read, word } from '../syntax/value.js';
import { type ParseInner, unchecked } from './clause.js';
import type { Clause } from './node.js';

const scoreMode = word('multiply', 'sum', 'avg', 'first', 'max', 'min');

const boostMode = word('multiply', 'replace', 'sum', 'avg', 'max', 'min');

/** Parses a `function_score` query, which equals its query without the functions. */
export const functionScore = <Q>(at: Input, inner: ParseInner<Q>): Q | Clause<'match_all'> => {
  let query: Q | undefined;
  const values: Readonly<Record<string, Read<unknown>>> = {
    ...unchecked,
    score_mode: scoreMode,
    boost_mode: boostMode,
    max_boost: number,
    min_score: refuseScore,
  };
  for (const { key, input } of at.members()) {
    if (input.isNull) continue;
    if (key === 'query' && input.isObject) query = inner(input);
    else if (input.isObject) throw unknownName(`[function_score] unknown function [${key}]`, key, input);
    else if (input.isArray && key !== 'functions')
      throw parsing(`failed to parse [function_score] query. array [${key}] is not supported`, input);
    else if (input.isArray && input.items().length > 0)
      throw parsing('[function_score] functions are not supported: records have no scores', at);
    else if (!input.isArray) {
      const read = Object.hasOwn(values, key) ? values[key] : undefined;
      if (read === undefined) throw parsing(`[function_score] query does not support [${key}]`, input);
      byHand(read)(input);
    }
  }
  return query ?? { kind: 'match_all', at };
};

function refuseScore(at: Input): never {
  throw parsing('[function_score] min_score is not supported: records have no scores', at);
}
