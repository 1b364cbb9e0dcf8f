import { timeSlices } from '../time-slice.js';

/** The time of a query ran out; its statement was cancelled. */
export class TimedOut extends Error {}

/** A value, or a promise of it where making it took so long that the event loop was given to others meanwhile. */
export type Awaitable<T> = T | Promise<T>;

/** The same as `await`, without its cost where the value is there. */
export const chain = <T, R>(value: Awaitable<T>, next: (value: T) => R): Awaitable<Awaited<R>> =>
  (value instanceof Promise ? value.then(next) : next(value)) as Awaitable<Awaited<R>>;

/** What paces a query. */
export interface PaceOptions {
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  /** Whose time slices it takes. */
  readonly organizationId: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Paces long loops of one query: they give the event loop to others every few milliseconds, and end at the deadline. */
export class Pace {
  constructor(private readonly options: PaceOptions) {}

  /** The items, each made into something, in their order. @throws TimedOut at the deadline; the signal's reason. */
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

  /** Waits for a time slice where that of this iteration of the event loop is over. @throws TimedOut at the deadline. */
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
