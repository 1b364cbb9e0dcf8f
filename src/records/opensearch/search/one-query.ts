import { parseSearch, shards } from '#records/answer/search-call.js';
import type { QueryAnswer, Shards } from '#records/record-index.js';
import type { SearchRequest } from '#search/request.js';
import { SearchFailure } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import type { EngineAnswer } from '../engine.js';

/** A query in progress: its parsed request, or its answer once it is known. An error of the query is its answer. */
export interface OneQuery {
  readonly productIds: readonly string[];
  request?: SearchRequest;
  answer?: QueryAnswer;
}

/** Parses a query. */
export const readQuery = (input: Input, productIds: readonly string[]): OneQuery => {
  const request = parseSearch(input);
  return request instanceof SearchFailure ? { productIds, answer: request.toAnswer() } : { productIds, request };
};

/** Runs a step of a query; an error of the query becomes its answer. */
export const runQueryStep = (query: OneQuery, step: () => void): void => {
  try {
    step();
  } catch (error) {
    if (!(error instanceof SearchFailure)) throw error;
    query.answer = error.toAnswer();
  }
};

/** Returns the shard counts of an answer: one shard, unless shards failed in one of the query's searches. */
export const shardsOf = (answers: readonly EngineAnswer[]): Shards => {
  const lacking = answers.find(({ _shards: found }) => found !== undefined && found.failed > 0)?._shards;
  return lacking === undefined ? shards : { skipped: 0, ...lacking };
};
