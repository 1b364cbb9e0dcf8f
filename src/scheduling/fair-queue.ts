import { rateLimited } from '#common/errors.js';

/** Releases a slot in the queue. */
export type Release = () => void;

/**
 * Limits of a queue: `turns` is the number of slots, `each` the maximum of slots per organization, and `waiting` the
 * maximum of waiting calls per organization.
 */
export interface TurnLimits {
  readonly turns: number;
  readonly each: number;
  readonly waiting: number;
  /** Maximum of slots per organization while other organizations use the queue too. Absent: `each`. */
  readonly eachBesideOthers?: number;
  /** Name of the waiting calls, for the error message. */
  readonly what?: string;
}

interface Waiting {
  start(): void;
}

/** Time after its last slot that an organization counts as a user of the queue, in milliseconds. */
const othersFor = 10_000;

/**
 * Shares slots fairly among organizations. An organization with many calls waits for its own, and does not delay
 * another organization. A free slot goes to the organization that holds the fewest; among several of those, to the one
 * that has waited longest.
 */
export class FairQueue {
  private readonly taken = new Map<string, number>();
  /** Waiting calls by organization. Organizations are in order of their last slot, the earliest first. */
  private readonly queues = new Map<string, Set<Waiting>>();
  /** The two organizations that took slots last, the latest first, and the time until which they count as users. */
  private recent: readonly { organizationId: string; until: number }[] = [];
  private free: number;

  /** @param clock monotonic clock in milliseconds. */
  constructor(
    private readonly limits: TurnLimits,
    private readonly clock: () => number = () => performance.now(),
  ) {
    this.free = limits.turns;
  }

  /**
   * Waits for a slot.
   * @param signal removes the call from the queue when the caller is gone.
   * @throws rateLimited when too many calls of the organization wait already.
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

  /** Number of waiting calls. */
  get waiting(): number {
    let sum = 0;
    for (const { size } of this.queues.values()) sum += size;
    return sum;
  }

  /** Whether a slot is free, no call waits for it, and the organization is below its maximum. */
  hasFree(organizationId: string): boolean {
    return this.free > 0 && this.takenBy(organizationId) < this.most(organizationId) && this.next() === undefined;
  }

  /** Takes a slot if one is free now; otherwise returns undefined. */
  takeFree(organizationId: string): Release | undefined {
    return this.hasFree(organizationId) ? this.begin(organizationId) : undefined;
  }

  private takenBy(organizationId: string): number {
    return this.taken.get(organizationId) ?? 0;
  }

  /** Returns the maximum number of slots that the organization may hold now. */
  private most(organizationId: string): number {
    const { each, eachBesideOthers } = this.limits;
    if (eachBesideOthers === undefined) return each;
    const now = this.clock();
    const beside = this.recent.some((other) => other.organizationId !== organizationId && other.until > now);
    return beside ? eachBesideOthers : each;
  }

  private note(organizationId: string): void {
    const others = this.recent.filter((other) => other.organizationId !== organizationId);
    this.recent = [{ organizationId, until: this.clock() + othersFor }, ...others].slice(0, 2);
  }

  private begin(organizationId: string): Release {
    if (this.limits.eachBesideOthers !== undefined) this.note(organizationId);
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
      // Several calls may start when other organizations have left the queue meanwhile.
      while (this.free > 0) {
        const next = this.next();
        if (next === undefined) break;
        next.start();
      }
    };
  }

  private remove(organizationId: string, entry: Waiting): void {
    const queue = this.queues.get(organizationId);
    queue?.delete(entry);
    // An organization that has taken a slot moves behind the others that wait.
    this.queues.delete(organizationId);
    if (queue?.size) this.queues.set(organizationId, queue);
  }

  /**
   * Returns the call that starts next: of the organizations below their maximum, one of the organization with the
   * fewest slots.
   */
  private next(): Waiting | undefined {
    let best: { queue: Set<Waiting>; taken: number } | undefined;
    for (const [organizationId, queue] of this.queues) {
      const taken = this.takenBy(organizationId);
      if (taken < this.most(organizationId) && (best === undefined || taken < best.taken)) best = { queue, taken };
    }
    return best?.queue.values().next().value;
  }
}
