import { parsing } from '../failure.js';
import type { Input } from '../syntax/input.js';
import { ignored, kindOf, number } from '../syntax/value.js';
import type { Query } from './query.js';

/** Reads the body of a clause. `inner` reads clauses inside it. */
export type ParseQuery = (input: Input, inner: (input: Input) => Query) => Query;

/** What every clause may carry: a boost changes scores, of which we have none; a name comes back in no answer of ours. */
export const common = { boost: number, _name: ignored } as const;

/** Reads one clause or several: `filter` may be an object or an array. */
export const clauses =
  (inner: (input: Input) => Query) =>
  (input: Input): Query[] => {
    if (!input.isObject && !input.isArray)
      throw parsing(`[bool] query malformed, unexpected [${kindOf(input)}]`, input);
    return input.items().map(inner);
  };
