/** Weight of a work item, and a name that must be unique in its group. */
export interface Weighted {
  weight: number;
  name?: string;
}

interface Waiting<Work, Answer> {
  work: Work;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Outcome of one work item. `again` means that nothing of it was done, and it returns to the queue. */
export type WorkOutcome<Answer> = { answer: Answer } | { error: unknown } | { again: true };

/** Settings of isolated groups: work of some owners gets groups of its own, so that it delays nobody else's. */
export interface IsolationOptions<Work> {
  /** Returns the owner of work that needs isolated groups, else undefined. */
  ownerOf(work: Work): string | undefined;
  /** Whether an owner's groups take long. */
  isSlow(owner: string): boolean;
  /**
   * Maximum number of isolated groups in progress. One place is reserved for owners that are not slow. One owner may
   * have two groups while no other waits.
   */
  concurrency: number;
  /** Weight at which an isolated group is full. */
  maxWeight: number;
}

const sum = (counts: Iterable<number>): number => {
  let total = 0;
  for (const count of counts) total += count;
  return total;
};

export interface GroupOptions<Work, Answer> {
  /** Runs a group. Returns the outcome of each item, in order; an exception fails all of them. */
  run(group: readonly Work[]): Promise<readonly WorkOutcome<Answer>[]>;
  /** Maximum number of concurrent groups. */
  concurrency: number;
  /** Minimum weight of a group that begins beside another one: less work is better off in the next, larger group. */
  minWeight: number;
  /** Weight at which a group is full. */
  maxWeight: number;
  isolation?: IsolationOptions<Work>;
}

/**
 * Group commit: work that arrives while earlier groups run is done together next, so that many calls share one flush of
 * PostgreSQL's log. When no group runs, work hardly waits.
 */
export class Group<Work extends Weighted, Answer> {
  private waiting: Waiting<Work, Answer>[] = [];
  private busy = 0;
  /**
   * Waiting work of isolated owners, in the order in which they are served, and the number of their groups in progress.
   */
  private readonly isolated = new Map<string, Waiting<Work, Answer>[]>();
  private readonly busyIsolated = new Map<string, number>();
  private starting = false;
  private closed?: () => void;

  constructor(private readonly options: GroupOptions<Work, Answer>) {}

  /** Adds a work item. The promise settles with its group. */
  add(work: Work): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ work, resolve, reject });
      this.startSoon();
    });
  }

  /** Resolves when nothing is waiting or in progress. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.closed = resolve;
      this.start();
    });
  }

  /** Starts after this turn of the event loop, so that all work that arrives in it joins. */
  private startSoon(): void {
    if (this.starting) return;
    this.starting = true;
    setImmediate(() => {
      this.starting = false;
      this.start();
    });
  }

  private start(): void {
    this.isolate();
    while (this.waiting.length > 0 && (this.busy === 0 || this.mayStartBeside())) {
      this.busy++;
      const { group, rest } = this.take(this.waiting, this.options.maxWeight);
      this.waiting = rest;
      void this.settle(group, () => this.busy--);
    }
    for (const owner of Array.from(this.isolated.keys())) if (this.mayStart(owner)) this.startIsolated(owner);
    if (this.busy === 0 && this.busyIsolated.size === 0) this.closed?.();
  }

  /** Moves the work of isolated owners to their own queues. */
  private isolate(): void {
    const { isolation } = this.options;
    if (!isolation) return;
    const shared: Waiting<Work, Answer>[] = [];
    for (const entry of this.waiting) {
      const owner = isolation.ownerOf(entry.work);
      if (owner === undefined) shared.push(entry);
      else this.queueOf(owner).push(entry);
    }
    this.waiting = shared;
  }

  private queueOf(owner: string): Waiting<Work, Answer>[] {
    const queue = this.isolated.get(owner) ?? [];
    this.isolated.set(owner, queue);
    return queue;
  }

  private mayStart(owner: string): boolean {
    const { concurrency, isSlow } = this.options.isolation!;
    const own = this.busyIsolated.get(owner) ?? 0;
    const busy = sum(this.busyIsolated.values());
    if (busy >= concurrency || own > 1) return false;
    if (own === 1 && (isSlow(owner) || this.isolated.size > 1)) return false;
    return !isSlow(owner) || [...this.busyIsolated.keys()].filter(isSlow).length < concurrency - 1;
  }

  private startIsolated(owner: string): void {
    const { group, rest } = this.take(this.isolated.get(owner)!, this.options.isolation!.maxWeight);
    // The owner just served goes to the end of the queue.
    this.isolated.delete(owner);
    if (rest.length > 0) this.isolated.set(owner, rest);
    this.countBusy(owner, 1);
    void this.settle(group, () => this.countBusy(owner, -1));
  }

  private countBusy(owner: string, change: 1 | -1): void {
    const count = (this.busyIsolated.get(owner) ?? 0) + change;
    if (count === 0) this.busyIsolated.delete(owner);
    else this.busyIsolated.set(owner, count);
  }

  private mayStartBeside(): boolean {
    const { concurrency, minWeight } = this.options;
    if (this.busy >= concurrency) return false;
    let weight = 0;
    return this.waiting.some(({ work }) => (weight += work.weight) >= minWeight);
  }

  private take(queue: readonly Waiting<Work, Answer>[], maxWeight: number) {
    const group: Waiting<Work, Answer>[] = [];
    const rest: Waiting<Work, Answer>[] = [];
    const names = new Set<string>();
    let weight = 0;
    for (const entry of queue) {
      const { name } = entry.work;
      if (weight >= maxWeight || (name !== undefined && names.has(name))) rest.push(entry);
      else {
        group.push(entry);
        weight += entry.work.weight;
        if (name !== undefined) names.add(name);
      }
    }
    return { group, rest };
  }

  private async settle(group: readonly Waiting<Work, Answer>[], over: () => void): Promise<void> {
    const again: Waiting<Work, Answer>[] = [];
    try {
      const outcomes = await this.options.run(group.map(({ work }) => work));
      for (const [index, entry] of group.entries()) {
        const outcome = outcomes[index]!;
        if ('again' in outcome) again.push(entry);
        else if ('error' in outcome) entry.reject(outcome.error);
        else entry.resolve(outcome.answer);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      this.waiting.unshift(...again);
      over();
      this.start();
    }
  }
}
