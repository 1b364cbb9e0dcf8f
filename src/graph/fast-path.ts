import type { Request } from 'express';
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from 'graphql';
import type { CachedQuery } from './compiled-query-cache.js';
import { type GraphContext, spendInTurn } from './context.js';
import { costOf } from './cost.js';
import type { Result } from './execute.js';

/** The HTTP answer to one operation. */
export interface HttpAnswer {
  status: number;
  headers: Iterable<readonly [name: string, value: string]>;
  text: string;
}

const headers = [['content-type', 'application/json; charset=utf-8']] as const;

/** Whether a request prefers JSON, as Apollo would send it. Most clients accept nothing else. */
export const takesJson = ({ headers: { accept } }: Request): boolean =>
  accept === undefined || accept === '*/*' || accept === 'application/json';

/**
 * Creates the fast path, which runs a cached query and answers as Apollo would: with status 200 when there is data,
 * else with that of the error. Most queries of a dashboard are cached, and parsing and checking them in Apollo's
 * pipeline costs more than running them.
 */
export const createFastPath =
  (schema: GraphQLSchema, explain: (error: unknown) => GraphQLFormattedError) =>
  async ({ query, variables }: CachedQuery, context: GraphContext): Promise<HttpAnswer> => {
    let result: Result;
    try {
      await spendInTurn(context, costOf(schema, query.document, query.operation, variables ?? {}));
      result = await query.run(context, variables);
    } catch (error) {
      result = { errors: [error as GraphQLError] };
    }
    const { data, errors } = result;
    if (errors === undefined) return { status: 200, headers, text: textOf({ data }) };
    const status = data === undefined ? statusOf(errors[0]) : 200;
    return { status, headers, text: textOf({ errors: errors.map(explain), data }) };
  };

const statusOf = (error: unknown): number => {
  const { http } = error instanceof GraphQLError ? error.extensions : {};
  return (http as { status?: number } | undefined)?.status ?? 500;
};

/** Writes JSON with a newline at the end, as Apollo does. */
const textOf = (result: object): string => `${JSON.stringify(result)}\n`;
