import type { FieldNode } from 'graphql';
import type { FieldPosition, ObjectCounter } from '#schema/context.js';
import { bounds, exceeded } from './document-limit.js';
import { type CountedField, howToPass } from './object-advice.js';

/** Objects of one field of a request, in all its lists together. */
interface Tally {
  path: FieldPosition['path'];
  size?: { name: string; weight: number };
  calls: number;
  /** Objects that were returned. */
  found: number;
  /** Objects that the lists being read may return. */
  pending: number;
  /**
   * Objects that the waiting lists may return, including lists that are no longer read after the limit was exceeded.
   */
  wanted: number;
}

/** A list that waits for other lists to be read. */
interface Waiting {
  tally: Tally;
  most: number;
  go: () => void;
  stop: (failure: unknown) => void;
}

/**
 * Counts the objects that one request returns. A list reserves its maximum length before it is read and counts the
 * objects that it returned afterwards, so objects being read and objects returned never exceed the limit together. When
 * only lists that are being read stand in the way, a list waits for them. When the lists of one field could exceed the
 * limit by themselves, the request ends.
 */
export class ObjectBudget implements ObjectCounter {
  private readonly tallies = new Map<FieldNode, Tally>();
  private readonly waiting: Waiting[] = [];
  /** Lists that arrived after a field exceeded the limit. */
  private readonly stopped: Waiting[] = [];
  private found = 0;
  private pending = 0;
  private over = false;

  /**
   * @param failure returns the reason why the request ended early.
   * @param end ends the request, and returns the first failure that occurred in it.
   */
  constructor(
    private readonly failure: () => Error | undefined,
    private readonly end: (failure: Error) => Error,
  ) {}

  /** Refuses all lists that wait, as the request has ended. */
  stop(failure: Error): void {
    for (const { stop } of [...this.waiting.splice(0), ...this.stopped.splice(0)]) stop(failure);
  }

  /** Objects that were returned, plus those that the lists being read may return. */
  get sum(): number {
    return this.found + this.pending;
  }

  /** Objects that were returned. */
  get came(): number {
    return Math.ceil(this.found);
  }

  reserve(place: FieldPosition, most: number, size?: Tally['size']): Promise<void> | undefined {
    const tally = this.tallyOf(place);
    tally.calls += 1;
    if (size !== undefined) tally.size = size;
    if (!this.over && this.found + tally.pending + tally.wanted + most > bounds.cost) this.refuseSoon();
    if (!this.over && this.sum + most <= bounds.cost) {
      this.begin(tally, most);
      return undefined;
    }
    this.requireGoing();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    tally.wanted += most;
    (this.over ? this.stopped : this.waiting).push({ tally, most, go: resolve, stop: reject });
    return promise;
  }

  settle(place: FieldPosition, most: number, found: number): void {
    const tally = this.tallyOf(place);
    tally.pending -= most;
    this.pending -= most;
    this.add(tally, found);
    while (this.waiting.length > 0) {
      const { tally: next, most: wanted, go } = this.waiting[0]!;
      if (this.sum + wanted > bounds.cost) break;
      this.waiting.shift();
      next.wanted -= wanted;
      this.begin(next, wanted);
      go();
    }
    if (this.waiting.length > 0 && this.pending <= 0) this.refuseSoon();
  }

  count(place: FieldPosition, objects: number, calls = 1): void {
    const tally = this.tallyOf(place);
    tally.calls += calls;
    this.add(tally, objects);
  }

  private begin(tally: Tally, most: number): void {
    tally.pending += most;
    this.pending += most;
  }

  private add(tally: Tally, objects: number): void {
    this.requireGoing();
    tally.found += objects;
    this.found += objects;
    if (this.found > bounds.cost) throw this.refuse();
  }

  private requireGoing(): void {
    const failure = this.failure();
    if (failure !== undefined) throw failure;
  }

  private tallyOf({ fieldNodes, path }: FieldPosition): Tally {
    const key = fieldNodes[0]!;
    let tally = this.tallies.get(key);
    if (tally === undefined) {
      tally = { path, calls: 0, found: 0, pending: 0, wanted: 0 };
      this.tallies.set(key, tally);
    }
    return tally;
  }

  /** Ends the request once all lists of the level have reserved, so that the refusal counts them all. */
  private refuseSoon(): void {
    if (this.over) return;
    this.over = true;
    this.stopped.push(...this.waiting.splice(0));
    setImmediate(() => this.refuse());
  }

  private refuse(): Error {
    const fields = [...this.tallies.values()].map(fieldOf);
    const total = Math.ceil(fields.reduce((sum, { objects }) => sum + objects, 0));
    return this.end(exceeded('cost', total, howToPass(fields, total, bounds.cost)));
  }
}

/** Counts the objects of one operation of a batch, besides counting them against the budget of the request. */
export class OwnObjects implements ObjectCounter {
  private found = 0;

  constructor(private readonly all: ObjectCounter) {}

  /** Objects that the operation returned. */
  get came(): number {
    return Math.ceil(this.found);
  }

  reserve(...reserved: Parameters<ObjectCounter['reserve']>): Promise<void> | undefined {
    return this.all.reserve(...reserved);
  }

  settle(place: FieldPosition, most: number, found: number): void {
    this.found += found;
    this.all.settle(place, most, found);
  }

  count(place: FieldPosition, objects: number, calls?: number): void {
    this.found += objects;
    this.all.count(place, objects, calls);
  }
}

const fieldOf = ({ path, size, calls, found, pending, wanted }: Tally): CountedField => ({
  path: namesOf(path),
  objects: found + pending + wanted,
  calls,
  ...(size !== undefined && { size: { name: size.name, perItem: calls * size.weight } }),
});

/** Returns the field names of a path, without the list indices. */
function namesOf(path: FieldPosition['path']): string[] {
  const names: string[] = [];
  for (let step: FieldPosition['path'] | undefined = path; step !== undefined; step = step.prev) {
    if (typeof step.key === 'string') names.unshift(step.key);
  }
  return names;
}
