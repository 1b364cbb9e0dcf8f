import type { Context } from '../schema/context.js';
import { timeSlices } from '../time-slice.js';
import type { Cost } from './cost.js';
import type { RequestBudget } from './request-budget.js';

/** The context of one operation of the graph. */
export interface GraphContext extends Context {
  readonly budget: RequestBudget;
  /** Counts bytes of the answer before they are written. @throws tooLarge, rateLimited */
  readonly reserve: (bytes: number) => void;
  /** Counts so many more requests against the rate limit. @throws rateLimited */
  readonly charge: (requests: number) => Promise<void>;
  /** The operation's place in its batch; absent where it stands alone. */
  readonly turn?: Turn;
}

/** The place of an operation among those of a batch that run together: costs are taken in their order. */
export interface Turn {
  readonly come: Promise<void>;
  /** Lets the next operation take its cost. A second call does nothing. */
  pass(): void;
}

/** Makes the places of so many operations; the first may take its cost at once. */
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
 * Takes the cost of an operation from its request's budget, after the operations before it in the batch: which of them
 * passes the limit must not depend on which was parsed first. Operations of a batch begin in several iterations of the event
 * loop where they take more time than the organization has in one.
 */
export async function spendInTurn({ budget, caller, turn }: GraphContext, cost: Cost): Promise<void> {
  if (turn === undefined) return budget.spend(cost);
  await turn.come;
  try {
    budget.spend(cost);
    await timeSlices.ifOver(caller.organizationId);
  } finally {
    turn.pass();
  }
}
