import type { ApolloServerPlugin } from '@apollo/server';
import type { GraphContext } from './context.js';

/**
 * Receives the kind of an operation and its duration in seconds. The kind is `invalid` when the operation could not be
 * read.
 */
export type ObserveOperation = (kind: string, seconds: number) => void;

/** Observes every operation that Apollo handles. */
export const countOperations = (observe: ObserveOperation): ApolloServerPlugin<GraphContext> => ({
  async requestDidStart() {
    const begun = performance.now();
    let kind = 'invalid';
    return {
      async didResolveOperation({ operation }) {
        if (operation !== undefined) kind = operation.operation;
      },
      async willSendResponse() {
        observe(kind, (performance.now() - begun) / 1000);
      },
    };
  },
});

/** Observes a cached query, which bypasses Apollo. */
export const countCached = async <Answer>(observe: ObserveOperation, answer: Promise<Answer>): Promise<Answer> => {
  const begun = performance.now();
  try {
    return await answer;
  } finally {
    observe('query', (performance.now() - begun) / 1000);
  }
};
