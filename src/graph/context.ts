import { timeSlices } from '#scheduling/time-slice.js';
import type { Context } from '#schema/context.js';
import type { Cost } from './cost.js';
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
  readonly come: Promise<void>;
  /** Lets the next operation deduct its cost. A second call does nothing. */
  pass(): void;
  /** Objects that the operations before this one returned; known once all of them have ended. */
  readonly foundBefore: Promise<number>;
  /** Ends the operation, which returned this many objects. */
  end(found: number): void;
}

/**
 * Creates `count` positions. The first operation may deduct its cost at once.
 * @param found objects that earlier operations of the request returned.
 */
export function createTurns(count: number, found = 0): Turn[] {
  let come = Promise.resolve();
  let foundBefore = Promise.resolve(found);
  return Array.from({ length: count }, () => {
    const next = Promise.withResolvers<void>();
    const own = Promise.withResolvers<number>();
    const before = foundBefore;
    const turn = { come, pass: next.resolve, foundBefore, end: own.resolve };
    come = next.promise;
    foundBefore = own.promise.then(async (objects) => (await before) + objects);
    return turn;
  });
}

/**
 * Deducts the cost of an operation from its request's budget, after the operations before it in the batch. Otherwise
 * the operation that exceeds the limit would depend on which one was parsed first. When the organization has used up
 * its time slice, the operations of a batch start in several iterations of the event loop. Returns the cost of the
 * request up to this operation.
 */
export async function spendInTurn({ budget, caller, owe, turn }: GraphContext, cost: Cost): Promise<number> {
  if (turn === undefined) return budget.spend(cost);
  await turn.come;
  try {
    const spent = budget.spend(cost);
    const more = requestsOfObjects(cost.objects);
    if (more > 0) await owe(more);
    await timeSlices.ifOver(caller.organizationId);
    return spent;
  } finally {
    turn.pass();
  }
}
