/** What a subscriber is told at once. */
export interface Batch<Item> {
  readonly items: readonly Item[];
  /** How many were dropped before these, because they were not fetched in time. */
  readonly missed: number;
}

/** Something to tell, and how large it is in characters of JSON. */
export interface Sized<Item> {
  readonly item: Item;
  readonly size: number;
}

/** What waits for one subscriber, at most: so many things, */
const mostItems = 1000;
/** and so many characters of them. */
export const mostCharacters = 1024 * 1024;
/** A batch takes no more once it has this many characters. */
const batchSize = 128 * 1024;

/**
 * What one subscriber is still to be told. It holds a bounded number of things and never waits: where the subscriber is
 * slower than what comes, the oldest are dropped and counted, and the next batch says how many. The first batch is
 * empty and comes at once: from then on nothing goes by unseen.
 */
export class Stream<Item> implements AsyncGenerator<Batch<Item>, undefined, undefined> {
  private waiting: Sized<Item>[] = [];
  private size = 0;
  private missed = 0;
  private greeted = false;
  private over?: { error?: Error };
  private readonly asking: PromiseWithResolvers<IteratorResult<Batch<Item>, undefined>>[] = [];

  /**
   * @param limit things in one batch, at most.
   * @param leave called once when the subscriber goes, or is sent away.
   */
  constructor(
    private readonly limit: number,
    private readonly leave: (stream: Stream<Item>) => void,
  ) {}

  /** Adds what has come, the oldest first. */
  push(items: readonly Sized<Item>[]): void {
    if (this.over) return;
    for (const sized of items) {
      // One that fits in no way does not push out the others.
      if (sized.size > mostCharacters) {
        this.missed++;
        continue;
      }
      this.waiting.push(sized);
      this.size += sized.size;
    }
    let dropped = 0;
    while (this.waiting.length - dropped > mostItems || this.size > mostCharacters) {
      this.size -= this.waiting[dropped++]!.size;
    }
    this.waiting.splice(0, dropped);
    this.missed += dropped;
    this.serve();
  }

  /** Counts what could not even be shown. */
  miss(count: number): void {
    if (this.over || count === 0) return;
    this.missed += count;
    this.serve();
  }

  /** Ends the stream at once, with an error where there is one to tell; what waits is dropped. */
  end(error?: Error): void {
    if (this.over) return;
    this.over = error === undefined ? {} : { error };
    this.waiting = [];
    this.leave(this);
    this.serve();
  }

  next(): Promise<IteratorResult<Batch<Item>, undefined>> {
    const asked = Promise.withResolvers<IteratorResult<Batch<Item>, undefined>>();
    this.asking.push(asked);
    this.serve();
    return asked.promise;
  }

  /** The subscriber goes. */
  return(): Promise<IteratorResult<Batch<Item>, undefined>> {
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
    while (this.asking.length > 0) {
      if (this.over) {
        const { error } = this.over;
        const asked = this.asking.shift()!;
        // An error is told once.
        this.over = {};
        if (error === undefined) asked.resolve(done);
        else asked.reject(error);
      } else if (!this.greeted || this.waiting.length > 0 || this.missed > 0) {
        this.asking.shift()!.resolve({ done: false, value: this.take() });
      } else return;
    }
  }

  private take(): Batch<Item> {
    this.greeted = true;
    let count = 0;
    let size = 0;
    while (count < this.waiting.length && count < this.limit && size < batchSize) size += this.waiting[count++]!.size;
    const items = this.waiting.splice(0, count).map(({ item }) => item);
    this.size -= size;
    const { missed } = this;
    this.missed = 0;
    return { items, missed };
  }
}

const done = { done: true, value: undefined } as const;
