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
}

/** Creates `count` positions. The first operation may deduct its cost at once. */
export function createTurns(count: number): Turn[] {
  let come = Promise.resolve();
  return Array.from({ length: count }, () => {
    const next = Promise.withResolvers<void>();
    const turn = { come, pass: next.resolve };
    come = next.promise;
    return turn;
  });
}

/**
 * Deducts the cost of an operation from its request's budget, after the operations before it in the batch. Otherwise
 * the operation that exceeds the limit would depend on which one was parsed first. When the organization has used up
 * its time slice, the operations of a batch start in several iterations of the event loop.
 */
export async function spendInTurn({ budget, caller, owe, turn }: GraphContext, cost: Cost): Promise<void> {
  if (turn === undefined) return budget.spend(cost);
  await turn.come;
  try {
    budget.spend(cost);
    const more = requestsOfObjects(cost.objects);
    if (more > 0) await owe(more);
    await timeSlices.ifOver(caller.organizationId);
  } finally {
    turn.pass();
  }
}
