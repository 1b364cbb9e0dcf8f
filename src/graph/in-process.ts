import { HeaderMap } from '@apollo/server';
import type { Request } from 'express';
import type { GraphQLFormattedError } from 'graphql';
import { forbidden } from '#common/errors.js';
import type { Context } from '#schema/context.js';
import { isQuery, readOperations } from './batch.js';
import { createTurns, type GraphContext } from './context.js';
import type { Envelope, RunOperation } from './run.js';

/** A query that another surface of the service sends, and its variables. */
export interface Query {
  query: string;
  variables?: Readonly<Record<string, unknown>> | undefined;
  operationName?: string | undefined;
}

/** The answer to a query. Without `data`, nothing was read. */
export interface QueryAnswer {
  data?: Record<string, unknown> | null;
  errors?: readonly GraphQLFormattedError[];
}

/**
 * Runs a query with the rules, limits, access and counts of the graph's own address.
 * @throws forbidden for a mutation or a subscription.
 */
export type Ask = (query: Query) => Promise<QueryAnswer>;

/** Opens one budget for all queries of a request to another surface. */
export type OpenQueries = (request: Request, caller: Context['caller']) => Ask;

const headers = new HeaderMap([['content-type', 'application/json']]);

const envelope: Envelope = { isPlain: true, rest: () => ({ method: 'POST', headers, search: '' }) };

/** Creates the access of other surfaces to the graph. They may only send queries. */
export const createOpenQueries =
  (run: RunOperation, openContexts: (request: Request, caller: Context['caller']) => () => GraphContext): OpenQueries =>
  (request, caller) => {
    const contextOf = openContexts(request, caller);
    return async (asked) => {
      // Absent values of variables are left out, as in a request.
      const query = JSON.parse(JSON.stringify(asked)) as Query;
      const [sent] = readOperations([query]);
      // A document that does not parse passes here, because Apollo's error has the place of the mistake.
      if (sent?.operation !== undefined && !isQuery(sent)) throw forbidden('Only queries are answered here.');
      // A turn makes the query count by its objects, as one of a batch does.
      const context = Object.assign(contextOf(), { turn: createTurns(1)[0] });
      return JSON.parse((await run(envelope, query, context)).text) as QueryAnswer;
    };
  };
