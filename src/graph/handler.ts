import { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type Request, Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Context } from '../schema/context.js';
import { answerGraphErrors, createErrorFormat, type ErrorOptions } from './errors.js';

/** What the graph's door is made of; app hands it in. */
export interface GraphOptions {
  schema: GraphQLSchema;
  /** Lets a request in and makes its context, or throws why not. */
  createContext: (request: Request) => Promise<Context>;
  errors: ErrorOptions;
}

/** The graph over HTTP, for mounting at its address, and how to close it. */
export interface GraphDoor {
  router: Router;
  close(): Promise<void>;
}

/** Serves the graph with Apollo: queries and mutations by POST and GET, with CSRF prevention and masked errors. */
export async function createGraph({ schema, createContext, errors }: GraphOptions): Promise<GraphDoor> {
  const apollo = new ApolloServer<Context>({
    schema,
    introspection: true,
    csrfPrevention: true,
    includeStacktraceInErrorResponses: false,
    formatError: createErrorFormat(errors),
    stopOnTerminationSignals: false,
  });
  await apollo.start();
  const contexts = new WeakMap<Request, Context>();
  const router = Router();
  router.use(async (request, _response, next) => {
    contexts.set(request, await createContext(request));
    next();
  });
  router.use(express.json({ limit: '256kb' }));
  router.use(expressMiddleware(apollo, { context: async ({ req }) => contexts.get(req)! }));
  router.use(answerGraphErrors(errors));
  return { router, close: () => apollo.stop() };
}
