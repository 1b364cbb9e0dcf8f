import { type ApolloServer, HeaderMap, type HTTPGraphQLResponse } from '@apollo/server';
import type { Request } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { CompiledQueryCache } from './compiled-query-cache.js';
import type { GraphContext } from './context.js';
import { countCached, type ObserveOperation } from './count-operations.js';
import { createExplain, type ErrorOptions } from './errors.js';
import { createFastPath, type HttpAnswer, takesJson } from './fast-path.js';
import { createQueue } from './one-at-a-time.js';

/** The parts of an HTTP request that decide how Apollo reads an operation and writes its answer. */
export interface Envelope {
  /** Whether the answer is plain JSON, which the fast path writes. */
  readonly isPlain: boolean;
  /** Returns the other parts, which the fast path does not need. */
  readonly rest: () => { readonly method: string; readonly headers: HeaderMap; readonly search: string };
}

export type RunOperation = (envelope: Envelope, body: unknown, context: GraphContext) => Promise<HttpAnswer>;

/** Creates the function that runs operations: on the fast path when the query is cached, else in Apollo. */
export function createRun(
  apollo: ApolloServer<GraphContext>,
  queries: CompiledQueryCache,
  { schema, errors, observe }: { schema: GraphQLSchema; errors: ErrorOptions; observe: ObserveOperation },
): RunOperation {
  const answerFast = createFastPath(schema, createExplain(errors));
  const queue = createQueue();
  return async ({ isPlain, rest }, body, context) => {
    const cached = isPlain ? queries.find(body) : undefined;
    if (cached !== undefined) return countCached(observe, answerFast(cached, context));
    if (isLong(body)) await queue();
    const httpGraphQLRequest = { ...rest(), body };
    return answerOf(await apollo.executeHTTPGraphQLRequest({ httpGraphQLRequest, context: async () => context }));
  };
}

/** Returns the envelope of an operation that was sent to the graph's own address. */
export const envelopeOf = (request: Request): Envelope => ({
  isPlain: request.method === 'POST' && takesJson(request),
  rest: () => ({
    method: request.method === 'HEAD' ? 'GET' : request.method,
    headers: headersOf(request),
    search: new URL(request.originalUrl, 'http://localhost').search,
  }),
});

const headersOf = ({ headers }: Request): HeaderMap =>
  new HeaderMap(Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]));

/** Whether an operation's text is so long that reading and checking it may take some milliseconds. */
const isLong = (body: unknown): boolean => {
  const text = typeof body === 'object' && body !== null && 'query' in body ? body.query : undefined;
  return typeof text === 'string' && text.length > 1000;
};

function answerOf({ status, headers, body }: HTTPGraphQLResponse): HttpAnswer {
  // The schema has no `@defer` and `@stream`, so an answer never comes in parts.
  if (body.kind !== 'complete') throw new Error('The operation was answered in parts.');
  return { status: status ?? 200, headers, text: body.string };
}
