import type { Pool } from 'pg';
import { rateLimited } from './errors.js';

/** Gives a turn back. */
export type Release = () => void;

/** How many turns there are at once, how many of them one organization has at most, and how many of its calls may wait. */
export interface TurnLimits {
  readonly turns: number;
  readonly each: number;
  readonly waiting: number;
  /** What waits, for the refusal. */
  readonly what?: string;
}

interface Waiting {
  start(): void;
}

/**
 * Shares connections among organizations: one that asks for much waits for its own statements, never another for them. A
 * turn that becomes free goes to the organization that has the fewest, of these to the one that has waited longest.
 */
export class FairQueue {
  private readonly taken = new Map<string, number>();
  /** Calls that wait, by organization; those come first whose last turn began longest ago. */
  private readonly queues = new Map<string, Set<Waiting>>();
  private free: number;

  constructor(private readonly limits: TurnLimits) {
    this.free = limits.turns;
  }

  /**
   * Waits for a turn.
   * @param signal leaves the queue when the caller is gone.
   * @throws ApiError RATE_LIMITED where too many calls of the organization wait already.
   */
  take(organizationId: string, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    const now = this.takeFree(organizationId);
    if (now !== undefined) return Promise.resolve(now);
    const queue = this.queues.get(organizationId) ?? new Set<Waiting>();
    if (queue.size >= this.limits.waiting)
      throw rateLimited(
        `[${queue.size}] ${this.limits.what ?? 'searches'} of this organization wait for their turn already. Try again later.`,
        1,
      );
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.remove(organizationId, entry);
        reject(signal!.reason as Error);
      };
      const entry: Waiting = {
        start: () => {
          signal?.removeEventListener('abort', leave);
          this.remove(organizationId, entry);
          resolve(this.begin(organizationId));
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      queue.add(entry);
      this.queues.set(organizationId, queue);
    });
  }

  /** How many calls wait. */
  get waiting(): number {
    let sum = 0;
    for (const { size } of this.queues.values()) sum += size;
    return sum;
  }

  /** Whether there is a free turn that nobody waits for, and the organization has not had its share. */
  hasFree(organizationId: string): boolean {
    return this.free > 0 && this.takenBy(organizationId) < this.limits.each && this.next() === undefined;
  }

  /** A turn that is free now; undefined where there is none. */
  takeFree(organizationId: string): Release | undefined {
    return this.hasFree(organizationId) ? this.begin(organizationId) : undefined;
  }

  private takenBy(organizationId: string): number {
    return this.taken.get(organizationId) ?? 0;
  }

  private begin(organizationId: string): Release {
    this.free -= 1;
    this.taken.set(organizationId, this.takenBy(organizationId) + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.free += 1;
      const left = this.takenBy(organizationId) - 1;
      if (left === 0) this.taken.delete(organizationId);
      else this.taken.set(organizationId, left);
      this.next()?.start();
    };
  }

  private remove(organizationId: string, entry: Waiting): void {
    const queue = this.queues.get(organizationId);
    queue?.delete(entry);
    // An organization that has had a turn comes after the others that wait.
    this.queues.delete(organizationId);
    if (queue?.size) this.queues.set(organizationId, queue);
  }

  /** Whose turn it is: of those that may begin, one of the organization with the fewest turns. */
  private next(): Waiting | undefined {
    let best: { queue: Set<Waiting>; taken: number } | undefined;
    for (const [organizationId, queue] of this.queues) {
      const taken = this.takenBy(organizationId);
      if (taken < this.limits.each && (best === undefined || taken < best.taken)) best = { queue, taken };
    }
    return best?.queue.values().next().value;
  }
}

/** A fair queue for the connections of a pool: three quarters of them at most are one organization's. Each call makes another. */
export const fairQueueFor = (pool: Pool, { waiting = 100, what = 'searches' } = {}): FairQueue => {
  const { max } = pool.options;
  return new FairQueue({ turns: max, each: Math.max(1, Math.floor((max * 3) / 4)), waiting, what });
};
