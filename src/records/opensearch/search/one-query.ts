import { SearchFailure } from '../../../search/failure.js';
import { parseRequest, type SearchRequest } from '../../../search/request.js';
import type { Input } from '../../../search/syntax/input.js';
import type { QueryAnswer, Shards } from '../../record-index.js';
import type { EngineAnswer } from './engine.js';

/** A query on its way: what was read of it. What is wrong with it is its answer. */
export interface OneQuery {
  readonly productIds: readonly string[];
  request?: SearchRequest;
  answer?: QueryAnswer;
}

/** Reads a query. */
export const readQuery = (input: Input, productIds: readonly string[]): OneQuery => {
  const query: OneQuery = { productIds };
  attempt(query, () => {
    query.request = parseRequest(input);
  });
  return query;
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

const oneShard: Shards = { total: 1, successful: 1, skipped: 0, failed: 0 };

/** How many parts of the index answered: one, as a caller sees it, unless some could not. */
export const shardsOf = ({ _shards: shards }: EngineAnswer): Shards =>
  shards === undefined || shards.failed === 0 ? oneShard : { skipped: 0, ...shards };

/** The answer of a query that took too long. */
export const timedOutAnswer = (took: number): QueryAnswer => {
  const hits = { total: { value: 0, relation: 'gte' as const }, max_score: null, hits: [] };
  return { took, timed_out: true, status: 200, _shards: oneShard, hits };
};
