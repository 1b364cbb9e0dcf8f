import { timeSlices } from '#scheduling/time-slice.js';
import type { Context } from '#schema/context.js';
import type { OperationCost } from './cost.js';
import type { RequestBudget } from './request-budget.js';
import { requestsOfObjects } from './weight.js';

/** The context of one operation of the graph. */
export interface GraphContext extends Context {
  readonly budget: RequestBudget;
  /**
   * Counts bytes of the answer before they are written.
   * @throws tooLarge, rateLimited
   */
  readonly reserve: (bytes: number) => void;
  /**
   * Counts further requests against the rate limit.
   * @throws rateLimited
   */
  readonly charge: (requests: number) => Promise<void>;
  /** Counts requests of work that is already done. The work is never refused, but later requests may be. */
  readonly owe: (requests: number) => Promise<void>;
  /** The operation's position in its batch; absent for a single operation. */
  readonly turn?: Turn;
}

/** The position of an operation among those of a batch that run together. Costs are deducted in this order. */
export interface Turn {
  /** Resolves when this operation may deduct its cost, with what the request has spent until then. */
  readonly come: Promise<number>;
  /**
   * Lets the next operation deduct its cost. A second call does nothing.
   * @param spent cost of the request up to this operation; absent if this one has none.
   */
  pass(spent?: number): void;
  /** Objects that the operations before this one returned; known once all of them have ended. */
  readonly foundBefore: Promise<number>;
  /** Ends the operation, which returned this many objects. */
  end(found: number): void;
}

/**
 * Creates `count` positions. The first operation may deduct its cost at once.
 * @param spent cost of earlier operations of the request.
 * @param found objects that earlier operations of the request returned.
 */
export function createTurns(count: number, spent = 0, found = 0): Turn[] {
  let come = Promise.resolve(spent);
  let foundBefore = Promise.resolve(found);
  return Array.from({ length: count }, () => {
    const before = come;
    const next = Promise.withResolvers<number>();
    const own = Promise.withResolvers<number>();
    const earlier = foundBefore;
    const pass = (cost?: number) => next.resolve(cost ?? before);
    const turn = { come, pass, foundBefore, end: own.resolve };
    come = next.promise;
    foundBefore = own.promise.then(async (objects) => (await earlier) + objects);
    return turn;
  });
}

/**
 * Deducts the cost of an operation from its request's budget, after the operations before it in the batch. Otherwise
 * the operation that exceeds the limit would depend on which one was parsed first. When the organization has used up
 * its time slice, the operations of a batch start in several iterations of the event loop. Returns the cost of the
 * request up to this operation.
 */
export async function spendInTurn({ budget, caller, owe, turn }: GraphContext, cost: OperationCost): Promise<number> {
  if (turn === undefined) return budget.spend(cost);
  let spent = await turn.come;
  try {
    spent = budget.spend(cost);
    const more = requestsOfObjects(cost.objects);
    if (more > 0) await owe(more);
    await timeSlices.ifOver(caller.organizationId);
    return spent;
  } finally {
    turn.pass(spent);
  }
}
