import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError, OperationTypeNode } from 'graphql';
import { malformed } from '#common/errors.js';
import type { GraphContext } from '../context.js';

/**
 * Refuses subscriptions on the route that answers with a single JSON value, with a message that says how to subscribe.
 */
export const refuseSubscriptions = (): ApolloServerPlugin<GraphContext> => ({
  async requestDidStart() {
    return {
      async didResolveOperation({ operation }) {
        if (operation?.operation !== OperationTypeNode.SUBSCRIPTION) return;
        const originalError = malformed(
          'A subscription is a stream: send "Accept: text/event-stream", or subscribe over a WebSocket (graphql-transport-ws).',
        );
        throw new GraphQLError(originalError.message, { originalError, extensions: { http: { status: 400 } } });
      },
    };
  },
});
