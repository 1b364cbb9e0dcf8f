/** How long the long computations of all organizations together may hold the event loop in one iteration, in milliseconds. */
const sliceMs = 8;
/** With many organizations at once each still has so much of it, in milliseconds. */
const leastMs = 1;

/**
 * Shares the event loop among long computations. In one iteration of the loop each organization has one slice of time for all
 * of its computations; what is left waits for a later iteration. Between two slices the loop does everything else. So an
 * organization with many long computations delays its own, and everybody else's by a slice.
 */
export class TimeSlices {
  /** When the slices that were begun in this iteration end, on the clock of `performance.now()`. */
  private readonly ends = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();
  private scheduled = false;

  /** Whether the organization's slice of this iteration is over: a computation that goes on awaits {@link next} first. */
  isOver(organizationId: string): boolean {
    const now = performance.now();
    const end = this.ends.get(organizationId);
    if (end !== undefined) return now >= end;
    this.ends.set(organizationId, now + Math.max(leastMs, sliceMs / Math.max(1, this.waiting.size)));
    this.schedule();
    return false;
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
      this.ends.clear();
      this.start();
    });
  }

  /** Lets one computation of each organization go on. */
  private start(): void {
    for (const [organizationId, queue] of Array.from(this.waiting)) {
      const resume = queue.shift()!;
      if (queue.length === 0) this.waiting.delete(organizationId);
      resume();
    }
    if (this.waiting.size > 0) this.schedule();
  }
}

/** The slices of this process: it has one event loop. */
export const timeSlices = new TimeSlices();
