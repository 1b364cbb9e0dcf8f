import type { ApolloServerPlugin } from '@apollo/server';
import { bounds } from './bounds.js';
import type { GraphContext } from './context.js';
import { costOf } from './cost.js';

/**
 * Takes each operation's cost off what its request may use, and tells it in `extensions.cost` where the request's
 * `extensions` ask for that (`{"cost": true}`).
 */
export const boundCost = (): ApolloServerPlugin<GraphContext> => ({
  async requestDidStart() {
    let cost = 0;
    return {
      async didResolveOperation({ schema, document, operation, request, contextValue }) {
        if (operation === undefined) return;
        cost = costOf(schema, document, operation, request.variables ?? {});
        contextValue.allowance.spend(cost);
      },
      async willSendResponse({ request, response: { body } }) {
        if (request.extensions?.['cost'] !== true || body.kind !== 'single') return;
        const { extensions } = body.singleResult;
        body.singleResult.extensions = { ...extensions, cost: { objects: cost, limit: bounds.cost } };
      },
    };
  },
});
