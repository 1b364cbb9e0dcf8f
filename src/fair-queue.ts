import { rateLimited } from './errors.js';

/** Gives a turn back. */
export type Release = () => void;

/** How many turns there are at once, how many of them one organization has at most, and how many of its calls may wait. */
export interface TurnLimits {
  readonly turns: number;
  readonly each: number;
  readonly waiting: number;
  /** How many one organization has at most while others use the queue too; `each` where this is not given. */
  readonly eachBesideOthers?: number;
  /** What waits, for the refusal. */
  readonly what?: string;
}

interface Waiting {
  start(): void;
}

/** How long after a turn of theirs others count as users of the queue, in milliseconds. */
const othersFor = 10_000;

/**
 * Shares connections among organizations: one that asks for much waits for its own statements, never another for them. A
 * turn that becomes free goes to the organization that has the fewest, of these to the one that has waited longest.
 */
export class FairQueue {
  private readonly taken = new Map<string, number>();
  /** Calls that wait, by organization; those come first whose last turn began longest ago. */
  private readonly queues = new Map<string, Set<Waiting>>();
  /** The two organizations that had turns last, the last of them first, and until when they count as users. */
  private recent: readonly { organizationId: string; until: number }[] = [];
  private free: number;

  /** @param clock milliseconds that never go back */
  constructor(
    private readonly limits: TurnLimits,
    private readonly clock: () => number = () => performance.now(),
  ) {
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
    return this.free > 0 && this.takenBy(organizationId) < this.most(organizationId) && this.next() === undefined;
  }

  /** A turn that is free now; undefined where there is none. */
  takeFree(organizationId: string): Release | undefined {
    return this.hasFree(organizationId) ? this.begin(organizationId) : undefined;
  }

  private takenBy(organizationId: string): number {
    return this.taken.get(organizationId) ?? 0;
  }

  /** How many turns the organization may have now. */
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
      // More than one may begin where the others have left the queue meanwhile.
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
    // An organization that has had a turn comes after the others that wait.
    this.queues.delete(organizationId);
    if (queue?.size) this.queues.set(organizationId, queue);
  }

  /** Whose turn it is: of those that may begin, one of the organization with the fewest turns. */
  private next(): Waiting | undefined {
    let best: { queue: Set<Waiting>; taken: number } | undefined;
    for (const [organizationId, queue] of this.queues) {
      const taken = this.takenBy(organizationId);
      if (taken < this.most(organizationId) && (best === undefined || taken < best.taken)) best = { queue, taken };
    }
    return best?.queue.values().next().value;
  }
}
