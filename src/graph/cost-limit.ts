import type { ApolloServerPlugin } from '@apollo/server';
import type { CompiledQueryCache } from './compiled-query-cache.js';
import { type GraphContext, spendInTurn } from './context.js';
import { costOf } from './cost.js';
import { bounds } from './document-limit.js';
import type { Prepare } from './execute.js';
import { OwnObjects } from './object-budget.js';

/**
 * Deducts each operation's cost from the request's budget, and reports it in `extensions.cost` when the request's
 * `extensions` ask for it (`{"cost": true}`): of a batch, of this operation and those before it, without refused ones.
 * An operation that passes is added to the cache of compiled queries.
 */
export const limitCost = (queries: CompiledQueryCache, prepare: Prepare): ApolloServerPlugin<GraphContext> => ({
  async requestDidStart() {
    let spent: number | undefined;
    return {
      async didResolveOperation({ schema, document, operation, request, source, contextValue }) {
        if (operation === undefined) return;
        const asked = costOf(schema, document, operation, request.variables ?? {});
        spent = await spendInTurn(contextValue, asked);
        queries.add(source, { document, operation, run: (...call) => prepare(document, operation)(...call) });
      },
      async willSendResponse({ request, response: { body }, contextValue }) {
        if (request.extensions?.['cost'] !== true || body.kind !== 'single') return;
        const { extensions } = body.singleResult;
        const objects = spent ?? (await contextValue.turn?.come) ?? contextValue.budget.cost;
        const cost = { objects, found: await foundSoFar(contextValue), limit: bounds.cost };
        body.singleResult.extensions = { ...extensions, cost };
      },
    };
  },
});

/** Returns the objects that the request returned up to this operation, without concurrent operations of its batch. */
const foundSoFar = async ({ turn, objects, budget }: GraphContext): Promise<number> =>
  turn !== undefined && objects instanceof OwnObjects ? (await turn.foundBefore) + objects.came : budget.objects.came;
