/**
 * How long the long computations of all organizations together may hold the event loop in one iteration while several
 * organizations use it, in milliseconds. A request takes some ten iterations, so each of theirs waits for ten slices.
 */
const sliceMs = 0.5;
/** The same while one organization uses it alone: what begins in one iteration shares packets to the database, and transactions. */
const sliceAloneMs = 2;
/** How long after they were last seen to compute others count as users of the event loop, in milliseconds. */
const othersFor = 10_000;
/** With many organizations at once each still has so much of it, in milliseconds. */
const leastMs = 0.25;
/** What lies longer ago than this was followed by the work of others, in milliseconds. */
const stepMs = 2;

/**
 * Shares the event loop among long computations. In one iteration of the loop each organization has one slice of time for all
 * of its computations; what is left waits for a later iteration. Between two slices the loop does everything else. So an
 * organization with many long computations delays its own, and everybody else's by a slice.
 */
export class TimeSlices {
  /** What organizations have had of this iteration, in milliseconds, and when they were last seen to compute. */
  private readonly used = new Map<string, { ms: number; at: number }>();
  private readonly waiting = new Map<string, (() => void)[]>();
  private scheduled = false;
  /** Who was last seen to compute, and when that was last somebody else than before. */
  private last = '';
  private changed = Number.NEGATIVE_INFINITY;

  /**
   * Whether the organization has had its slice of this iteration: a computation that goes on awaits {@link next} first. It is
   * called after every step of a computation, and counts the time since the call before.
   * @param now on the clock of `performance.now()`
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

  /** Waits only where the slice of this iteration is over. */
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

  /** Lets computations of organizations go on, one after the other, each organization's until it has had its slice. */
  private goOn(organizations: string[]): void {
    const [organizationId] = organizations;
    if (organizationId === undefined) return this.waiting.size > 0 ? this.schedule() : undefined;
    const queue = this.waiting.get(organizationId);
    if (queue === undefined || this.isOver(organizationId)) return this.goOn(organizations.slice(1));
    const resume = queue.shift()!;
    if (queue.length === 0) this.waiting.delete(organizationId);
    resume();
    // A tick that a microtask asks for comes once no microtask is left: the computation has gone as far as it may by then.
    queueMicrotask(() => process.nextTick(() => this.goOn(organizations)));
  }
}

/** The slices of this process: it has one event loop. */
export const timeSlices = new TimeSlices();

/** Takes the steps of a computation in an organization's slices, for what nobody waits for with a deadline. */
export const inSlices = async <T>(organizationId: string, steps: Generator<undefined, T>): Promise<T> => {
  let step = steps.next();
  for (; !step.done; step = steps.next()) await timeSlices.ifOver(organizationId);
  return step.value;
};
