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
  readonly organizationId: string;
  start(): void;
}

/**
 * Shares connections among organizations: one that asks for much waits for its own statements, never another for them. A turn that becomes free goes to the organization that has the fewest, the longest waiting first.
 */
export class FairQueue {
  private readonly taken = new Map<string, number>();
  private readonly queue: Waiting[] = [];
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
    const waiting = this.queue.filter((one) => one.organizationId === organizationId).length;
    if (waiting >= this.limits.waiting)
      throw rateLimited(
        `[${waiting}] ${this.limits.what ?? 'searches'} of this organization wait for their turn already. Try again later.`,
        1,
      );
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.queue.splice(this.queue.indexOf(entry), 1);
        reject(signal!.reason as Error);
      };
      const entry: Waiting = {
        organizationId,
        start: () => {
          signal?.removeEventListener('abort', leave);
          resolve(this.begin(organizationId));
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.queue.push(entry);
    });
  }

  /** How many calls wait. */
  get waiting(): number {
    return this.queue.length;
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
      const next = this.next();
      if (next === undefined) return;
      this.queue.splice(this.queue.indexOf(next), 1);
      next.start();
    };
  }

  /** Whose turn it is: of those that may begin, one of the organization with the fewest turns. */
  private next(): Waiting | undefined {
    return this.queue
      .filter(({ organizationId }) => this.takenBy(organizationId) < this.limits.each)
      .reduce<Waiting | undefined>(
        (best, one) =>
          best === undefined || this.takenBy(one.organizationId) < this.takenBy(best.organizationId) ? one : best,
        undefined,
      );
  }
}

const known = new WeakMap<Pool, FairQueue>();

/** The turns of all who use a pool: three quarters of its connections at most are one organization's. */
export const fairQueueOf = (pool: Pool, { waiting = 100, what = 'searches' } = {}): FairQueue => {
  const { max } = pool.options;
  const each = Math.max(1, Math.floor((max * 3) / 4));
  const turns = known.get(pool) ?? new FairQueue({ turns: max, each, waiting, what });
  known.set(pool, turns);
  return turns;
};
