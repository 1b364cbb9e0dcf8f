import { SearchFailure } from '../../../search/failure.js';
import type { SearchRequest } from '../../../search/request.js';
import type { Input } from '../../../search/syntax/input.js';
import { parsed, shards } from '../../answer/search-call.js';
import type { QueryAnswer, Shards } from '../../record-index.js';
import type { EngineAnswer } from '../engine.js';

/** A query on its way: what was read of it. What is wrong with it is its answer. */
export interface OneQuery {
  readonly productIds: readonly string[];
  request?: SearchRequest;
  answer?: QueryAnswer;
}

/** Reads a query. */
export const readQuery = (input: Input, productIds: readonly string[]): OneQuery => {
  const request = parsed(input);
  return request instanceof SearchFailure ? { productIds, answer: request.toAnswer() } : { productIds, request };
};

/** Does a step of a query; what is wrong with it becomes its answer. */
export const attempt = (query: OneQuery, step: () => void): void => {
  try {
    step();
  } catch (error) {
    if (!(error instanceof SearchFailure)) throw error;
    query.answer = error.toAnswer();
  }
};

/** How many parts of the index answered: one, as a caller sees it, unless some could not in one of a query's searches. */
export const shardsOf = (answers: readonly EngineAnswer[]): Shards => {
  const lacking = answers.find(({ _shards: found }) => found !== undefined && found.failed > 0)?._shards;
  return lacking === undefined ? shards : { skipped: 0, ...lacking };
};
