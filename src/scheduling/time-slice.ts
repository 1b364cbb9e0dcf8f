/**
 * Time in one iteration of the event loop for the long computations of all organizations together, while several
 * organizations use it, in milliseconds. A request takes some ten iterations, so each request of another organization
 * waits for ten slices.
 */
const sliceMs = 0.5;
/**
 * Time per iteration while a single organization uses the event loop, in milliseconds. A longer slice lets more work
 * start in one iteration, which then shares packets to the database and transactions.
 */
const sliceAloneMs = 2;
/** Time after its last computation that an organization counts as a user of the event loop, in milliseconds. */
const othersFor = 10_000;
/** Minimum slice of each organization when many compute at once, in milliseconds. */
const leastMs = 0.25;
/**
 * Maximum time that one step is charged, in milliseconds. A longer gap since the last call was filled by other work.
 */
const stepMs = 2;

/**
 * Shares the event loop among long computations. In one iteration each organization has one time slice for all of its
 * computations; the rest waits for a later iteration. Between two slices the loop does all other work. So an
 * organization with many long computations delays mostly its own, and other organizations by one slice.
 */
export class TimeSlices {
  /** Time that each organization has used in this iteration, in milliseconds, and the time of its last computation. */
  private readonly used = new Map<string, { ms: number; at: number }>();
  private readonly waiting = new Map<string, (() => void)[]>();
  private scheduled = false;
  /**
   * `last`: the organization that computed last. `changed`: the last time at which this was another one than before.
   */
  private last = '';
  private changed = Number.NEGATIVE_INFINITY;

  /**
   * Whether the organization has used up its slice of this iteration. A computation that continues then awaits {@link
   * next} first. It calls this after every step; the time since the call before is charged.
   * @param now time by `performance.now()`.
   */
  isOver(organizationId: string, now = performance.now()): boolean {
    if (organizationId !== this.last) {
      this.last = organizationId;
      this.changed = now;
    }
    const used = this.used.get(organizationId);
    if (used === undefined) {
      this.used.set(organizationId, { ms: 0, at: now });
      this.schedule();
      return false;
    }
    used.ms += Math.min(stepMs, now - used.at);
    used.at = now;
    const slice = now - this.changed < othersFor ? sliceMs : sliceAloneMs;
    return used.ms >= Math.max(leastMs, slice / Math.max(1, this.waiting.size));
  }

  /** Waits for a slice in a later iteration of the event loop. */
  next(organizationId: string): Promise<void> {
    this.schedule();
    return new Promise((resolve) => {
      const queue = this.waiting.get(organizationId);
      if (queue === undefined) this.waiting.set(organizationId, [resolve]);
      else queue.push(resolve);
    });
  }

  /** Waits only when the slice of this iteration is used up. */
  async ifOver(organizationId: string): Promise<void> {
    if (this.isOver(organizationId)) await this.next(organizationId);
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.used.clear();
      this.goOn([...this.waiting.keys()]);
    });
  }

  /** Resumes computations one after the other, each organization's until its slice is used up. */
  private goOn(organizations: string[]): void {
    const [organizationId] = organizations;
    if (organizationId === undefined) return this.waiting.size > 0 ? this.schedule() : undefined;
    const queue = this.waiting.get(organizationId);
    if (queue === undefined || this.isOver(organizationId)) return this.goOn(organizations.slice(1));
    const resume = queue.shift()!;
    if (queue.length === 0) this.waiting.delete(organizationId);
    resume();
    // A tick that a microtask schedules runs once no microtask is left. By then the computation has gone as far as it
    // can.
    queueMicrotask(() => process.nextTick(() => this.goOn(organizations)));
  }
}

/** The time slices of this process, which has one event loop. */
export const timeSlices = new TimeSlices();

/** Runs the steps of a computation in an organization's time slices, for work without a deadline. */
export const inSlices = async <T>(organizationId: string, steps: Generator<undefined, T>): Promise<T> => {
  let step = steps.next();
  for (; !step.done; step = steps.next()) await timeSlices.ifOver(organizationId);
  return step.value;
};
