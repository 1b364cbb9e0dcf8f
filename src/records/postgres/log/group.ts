/** What waits to be committed: how much it is, and a name that no two of one group may share. */
export interface Weighted {
  weight: number;
  name?: string;
}

interface Waiting<Work, Answer> {
  work: Work;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** The fate of one work of a group. */
export type Outcome<Answer> = { answer: Answer } | { error: unknown };

/** How works are gathered. */
export interface GroupOptions<Work, Answer> {
  /** Does a group at once; gives the outcome of each, in order. A throw fails them all. */
  run(group: readonly Work[]): Promise<readonly Outcome<Answer>[]>;
  /** Groups under way at once, at most. */
  lanes: number;
  /** A group begins beside another one only for this much: less is better off as a part of the next, larger one. */
  worth: number;
  /** A group takes works until their weight reaches this. */
  heaviest: number;
}

/**
 * Group commit: what arrives while earlier groups are under way is done together next, so that many calls share one flush of
 * the log. Nothing waits long when nothing is under way.
 */
export class Group<Work extends Weighted, Answer> {
  private waiting: Waiting<Work, Answer>[] = [];
  private busy = 0;
  private starting = false;
  private closed?: () => void;

  constructor(private readonly options: GroupOptions<Work, Answer>) {}

  /** Does a work with others; settles when its group has. */
  add(work: Work): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ work, resolve, reject });
      this.startSoon();
    });
  }

  /** Resolves when nothing is waiting or under way. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.closed = resolve;
      this.start();
    });
  }

  /** What arrives in the same turn of the event loop comes along. */
  private startSoon(): void {
    if (this.starting) return;
    this.starting = true;
    setImmediate(() => {
      this.starting = false;
      this.start();
    });
  }

  private start(): void {
    while (this.waiting.length > 0 && (this.busy === 0 || this.isWorthALane())) {
      this.busy++;
      void this.settle(this.take());
    }
    if (this.busy === 0) this.closed?.();
  }

  private isWorthALane(): boolean {
    const { lanes, worth } = this.options;
    if (this.busy >= lanes) return false;
    let weight = 0;
    return this.waiting.some(({ work }) => (weight += work.weight) >= worth);
  }

  private take(): Waiting<Work, Answer>[] {
    const group: Waiting<Work, Answer>[] = [];
    const rest: Waiting<Work, Answer>[] = [];
    const names = new Set<string>();
    let weight = 0;
    for (const entry of this.waiting) {
      const { name } = entry.work;
      if (weight >= this.options.heaviest || (name !== undefined && names.has(name))) rest.push(entry);
      else {
        group.push(entry);
        weight += entry.work.weight;
        if (name !== undefined) names.add(name);
      }
    }
    this.waiting = rest;
    return group;
  }

  private async settle(group: readonly Waiting<Work, Answer>[]): Promise<void> {
    try {
      const outcomes = await this.options.run(group.map(({ work }) => work));
      group.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index]!;
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.answer);
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      this.busy--;
      this.start();
    }
  }
}
