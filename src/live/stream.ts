import { type GivenItems, type PollPosition, Progress } from './cursor.js';

/** A batch: the content of one event. */
export interface ItemBatch<Item> {
  readonly items: readonly Item[];
  /** Number of items that were dropped before these because the subscriber did not fetch them in time. */
  readonly missed: number;
  /** Returns the cursor of what has been given up to this batch. */
  readonly cursor: () => string;
}

/** An item to publish, with its size in characters of JSON. */
export interface Sized<Item> {
  /** Identifies this version of the item. */
  readonly key: string;
  readonly item: Item;
  readonly size: number;
}

/** Maximum number of items that wait for one subscriber. */
const maxItems = 1000;
/** Maximum number of characters of JSON of these items together. */
export const maxCharacters = 1024 * 1024;
/** Time without items after which an empty batch carries a newer cursor. Milliseconds. */
const cursorAge = 600_000;
/** Number of characters after which a batch takes no more items. */
const batchSize = 128 * 1024;

/** Whether an item fits into a stream at all. */
export const isTellable = ({ size }: { readonly size: number }): boolean => size <= maxCharacters;

/** Returns the newest items that fit into a stream together. */
export function newestThatFit<One extends { readonly size: number }>(some: One[]): One[] {
  let from = some.length;
  for (let size = 0; from > 0 && some.length - from < maxItems; from--) {
    size += some[from - 1]!.size;
    if (size > maxCharacters) break;
  }
  return from === 0 ? some : some.slice(from);
}

/**
 * Items that wait for one subscriber. The stream holds a bounded number of them and never waits: if the subscriber is
 * too slow, the oldest items are dropped and counted, and the next batch states their number. The first batch is empty
 * and comes at once; from then on the subscriber misses nothing unnoticed.
 */
export class LiveStream<Item> implements AsyncGenerator<ItemBatch<Item>, undefined, undefined> {
  private waiting: Waiting<Item>[] = [];
  private size = 0;
  private missed = 0;
  private greeted = false;
  private stale = false;
  /** Time of the last cursor that was sent. */
  private sentSince = 0;
  private progress = new Progress({ seen: '1:1:', since: 0 });
  private over?: { error?: Error };
  private readonly readers: PromiseWithResolvers<IteratorResult<ItemBatch<Item>, undefined>>[] = [];

  /**
   * @param limit maximum number of items of a batch
   * @param leave called once when the subscriber leaves or is dismissed
   */
  constructor(
    private readonly limit: number,
    private readonly leave: (stream: LiveStream<Item>) => void,
  ) {}

  /** Adds items, the oldest first. */
  push(items: readonly Sized<Item>[]): void {
    if (this.over) return;
    for (const sized of items) {
      // An item that is larger than the whole stream does not displace the others.
      if (!isTellable(sized)) {
        this.missed++;
        continue;
      }
      this.waiting.push({ ...sized });
      this.size += sized.size;
    }
    this.dropOldest();
    this.serve();
  }

  /** Notes that everything which the position's snapshot saw has been pushed. */
  reach(position: PollPosition): void {
    const last = this.waiting.at(-1);
    if (last !== undefined) last.reached = position;
    else {
      this.progress.reach(position);
      this.stale = this.greeted && position.since - this.sentSince > cursorAge;
      if (this.stale) this.serve();
    }
  }

  /** Sets the position from which items are published to this subscriber. */
  begin(position: PollPosition): void {
    this.progress = new Progress(position);
  }

  /**
   * Inserts the items committed since a cursor before all waiting ones. Called before the first batch only.
   * @param reached position that includes all of these items
   */
  resume(given: GivenItems, items: readonly Sized<Item>[], missed: number, reached: PollPosition): void {
    if (this.over) return;
    this.missed += missed;
    const last = items.at(-1);
    if (last === undefined) return;
    this.progress = new Progress(given);
    this.waiting.unshift(...items.slice(0, -1), { ...last, reached });
    this.size += items.reduce((sum, { size }) => sum + size, 0);
    this.dropOldest();
  }

  /** Counts items that could not be read or judged as missed. */
  miss(count: number): void {
    if (this.over || count === 0) return;
    this.missed += count;
    this.serve();
  }

  /** Ends the stream at once, with an optional error. Waiting items are dropped. */
  end(error?: Error): void {
    if (this.over) return;
    this.over = error === undefined ? {} : { error };
    this.waiting = [];
    this.leave(this);
    this.serve();
  }

  next(): Promise<IteratorResult<ItemBatch<Item>, undefined>> {
    const reader = Promise.withResolvers<IteratorResult<ItemBatch<Item>, undefined>>();
    this.readers.push(reader);
    this.serve();
    return reader.promise;
  }

  /** Ends the stream because the subscriber leaves. */
  return(): Promise<IteratorResult<ItemBatch<Item>, undefined>> {
    this.end();
    return Promise.resolve(done);
  }

  throw(error: unknown): Promise<never> {
    this.end();
    return Promise.reject(error as Error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  private serve(): void {
    while (this.readers.length > 0) {
      if (this.over) {
        const { error } = this.over;
        const reader = this.readers.shift()!;
        // The error is reported once.
        this.over = {};
        if (error === undefined) reader.resolve(done);
        else reader.reject(error);
      } else if (!this.greeted || this.waiting.length > 0 || this.missed > 0 || this.stale) {
        this.readers.shift()!.resolve({ done: false, value: this.take() });
      } else return;
    }
  }

  private dropOldest(): void {
    if (this.waiting.length <= maxItems && this.size <= maxCharacters) return;
    const kept = newestThatFit(this.waiting);
    const dropped = this.waiting.length - kept.length;
    for (const { size, reached } of this.waiting.slice(0, dropped)) {
      this.size -= size;
      if (reached !== undefined) this.progress.reach(reached);
    }
    this.waiting.splice(0, dropped);
    this.missed += dropped;
  }

  private take(): ItemBatch<Item> {
    this.greeted = true;
    this.stale = false;
    let count = 0;
    let size = 0;
    while (count < this.waiting.length && count < this.limit && size < batchSize) size += this.waiting[count++]!.size;
    const taken = this.waiting.splice(0, count);
    for (const { key, reached } of taken) {
      this.progress.give(key);
      if (reached !== undefined) this.progress.reach(reached);
    }
    this.size -= size;
    this.sentSince = this.progress.since;
    const { missed } = this;
    this.missed = 0;
    return { items: taken.map(({ item }) => item), missed, cursor: this.progress.cursor() };
  }
}

/** A waiting item. `reached` is the position that includes everything up to it. */
interface Waiting<Item> extends Sized<Item> {
  reached?: PollPosition;
}

const done = { done: true, value: undefined } as const;
