import type { ApolloServerPlugin } from '@apollo/server';
import type { CompiledQueryCache } from './compiled-query-cache.js';
import { type GraphContext, spendInTurn } from './context.js';
import { costOf } from './cost.js';
import { bounds } from './document-limit.js';
import type { Prepare } from './execute.js';

/**
 * Deducts each operation's cost from the request's budget, and reports it in `extensions.cost` when the request's
 * `extensions` ask for it (`{"cost": true}`). An operation that passes is added to the cache of compiled queries.
 */
export const limitCost = (queries: CompiledQueryCache, prepare: Prepare): ApolloServerPlugin<GraphContext> => ({
  async requestDidStart() {
    let cost = 0;
    return {
      async didResolveOperation({ schema, document, operation, request, source, contextValue }) {
        if (operation === undefined) return;
        const asked = costOf(schema, document, operation, request.variables ?? {});
        cost = asked.objects;
        await spendInTurn(contextValue, asked);
        queries.add(source, { document, operation, run: (...call) => prepare(document, operation)(...call) });
      },
      async willSendResponse({ request, response: { body }, contextValue: { budget } }) {
        if (request.extensions?.['cost'] !== true || body.kind !== 'single') return;
        const { extensions } = body.singleResult;
        body.singleResult.extensions = {
          ...extensions,
          cost: { objects: cost, found: budget.objects.came, limit: bounds.cost },
        };
      },
    };
  },
});
