import { timeSlices } from '#scheduling/time-slice.js';

/** The time limit of a query was exceeded, and its statement was cancelled. */
export class TimedOut extends Error {}

/** A value, or a promise of it if computing it took so long that the event loop was yielded. */
export type Awaitable<T> = T | Promise<T>;

/** Works like `await`, without its cost if the value is already there. */
export const chain = <T, R>(value: Awaitable<T>, next: (value: T) => R): Awaitable<Awaited<R>> =>
  (value instanceof Promise ? value.then(next) : next(value)) as Awaitable<Awaited<R>>;

export interface PaceOptions {
  /** Time on the clock of `performance.now()`. */
  readonly deadline: number;
  /** Organization whose time slices the query uses. */
  readonly organizationId: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Paces long loops of one query: they yield the event loop every few milliseconds, and end at the deadline. */
export class Pace {
  constructor(private readonly options: PaceOptions) {}

  /**
   * Maps items, in order.
   * @throws TimedOut at the deadline; the signal's reason
   */
  map<T, R>(items: Iterable<T>, make: (item: T) => Awaitable<R>): Awaitable<R[]> {
    const made: R[] = [];
    const iterator = items[Symbol.iterator]();
    for (let step = iterator.next(); step.done !== true; step = iterator.next()) {
      if (this.isDue()) return this.goOn(made, make, iterator, step.value);
      const one = make(step.value);
      if (one instanceof Promise) return this.goOn(made, make, iterator, step.value, one);
      made.push(one);
    }
    return made;
  }

  private async goOn<T, R>(
    made: R[],
    make: (item: T) => Awaitable<R>,
    iterator: Iterator<T>,
    item: T,
    begun?: Promise<R>,
  ): Promise<R[]> {
    if (begun === undefined) await this.rest();
    made.push(await (begun ?? make(item)));
    for (let step = iterator.next(); step.done !== true; step = iterator.next()) {
      if (this.isDue()) await this.rest();
      const one = make(step.value);
      made.push(one instanceof Promise ? await one : one);
    }
    return made;
  }

  /**
   * Waits for a time slice if the current one is over.
   * @throws TimedOut at the deadline
   */
  async begin(): Promise<void> {
    if (this.isDue()) await this.rest();
  }

  private rest(): Promise<void> {
    return timeSlices.next(this.options.organizationId);
  }

  private isDue(): boolean {
    this.options.signal?.throwIfAborted();
    const now = performance.now();
    if (now > this.options.deadline) throw new TimedOut();
    return timeSlices.isOver(this.options.organizationId, now);
  }
}
