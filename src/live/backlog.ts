import { type FeedOptions, pageSize, type Row, type Subscriber, type Told } from './feed-options.js';
import type { Queues } from './queue.js';
import { maxCharacters } from './stream.js';

/** Most that waits for the queries of one organization's subscriptions, in characters of JSON. */
const maxSize = 8 * maxCharacters;
/** Most rows that queries judge at once. A statement costs some milliseconds, however few they are; a stream holds twice as many. */
const maxRows = pageSize;
/** Longest time that rows wait for their query, in milliseconds. */
const maxWait = 10_000;

/** Rows that wait for the queries of one organization's subscriptions. */
interface Piece<One, Someone> {
  wanted: Map<Someone, readonly One[]>;
  count: number;
  /** Characters of JSON. */
  size: number;
  /** Time at which the first row came. */
  since: number;
}

/** Judges rows, and tells subscribers. */
interface Judge<Item, One extends Row<Item>, Someone extends Subscriber<Item>> {
  queues: Queues;
  choose: NonNullable<FeedOptions<Item, One, Someone>['choose']>;
  give(all: ReadonlyMap<Someone, Told<One>>): Promise<void>;
  /** Whether the subscriber is still there. */
  isPresent(someone: Someone): boolean;
}

/**
 * Holds rows until the queries of their organization's subscriptions judge them. What comes while a judgement is under way
 * waits and is judged together. Rows count as missed where more than {@link maxSize} waits, or where they wait for longer than
 * {@link maxWait}.
 */
export class Backlogs<Item, One extends Row<Item>, Someone extends Subscriber<Item>> {
  /** Of each organization, the piece that takes further rows. */
  private readonly open = new Map<string, Piece<One, Someone>>();
  private readonly sizes = new Map<string, number>();

  constructor(private readonly judge: Judge<Item, One, Someone>) {}

  /** Adds the rows that each subscriber of an organization may be told of. */
  add(organizationId: string, wanted: ReadonlyMap<Someone, readonly One[]>): void {
    const rows = new Set([...wanted.values()].flat());
    const size = [...rows].reduce((sum, one) => sum + Math.min(one.size, maxCharacters), 0);
    const held = this.sizes.get(organizationId) ?? 0;
    // A page alone may be a little larger.
    if (held > 0 && held + size > maxSize) return missAll(wanted);
    this.sizes.set(organizationId, held + size);
    const piece = this.open.get(organizationId);
    if (piece === undefined || piece.count + rows.size > maxRows) {
      this.begin(organizationId, { wanted: new Map(wanted), count: rows.size, size, since: performance.now() });
      return;
    }
    for (const [someone, some] of wanted) piece.wanted.set(someone, [...(piece.wanted.get(someone) ?? []), ...some]);
    piece.count += rows.size;
    piece.size += size;
  }

  /** Lets later rows begin a piece of their own, so that what is queued next comes before them. */
  seal(organizationId: string): void {
    this.open.delete(organizationId);
  }

  private begin(organizationId: string, piece: Piece<One, Someone>): void {
    this.open.set(organizationId, piece);
    const end = () => {
      const left = this.sizes.get(organizationId)! - piece.size;
      if (left > 0) this.sizes.set(organizationId, left);
      else this.sizes.delete(organizationId);
    };
    const work = async () => {
      if (this.open.get(organizationId) === piece) this.seal(organizationId);
      await this.work(piece);
      end();
    };
    this.judge.queues.add(organizationId, work, () => {
      missAll(piece.wanted);
      end();
    });
  }

  /** Judges a piece; what its queries leave open is judged again. */
  private async work(piece: Piece<One, Someone>): Promise<void> {
    const { choose, give, isPresent } = this.judge;
    for (;;) {
      const wanted = new Map([...piece.wanted].filter(([someone]) => isPresent(someone)));
      if (wanted.size === 0) return;
      if (performance.now() - piece.since > maxWait) return missAll(wanted);
      const answers = await choose(wanted);
      await give(answers);
      piece.wanted = new Map(
        [...answers].flatMap(([someone, { open }]) => (open.length > 0 ? [[someone, open] as const] : [])),
      );
    }
  }
}

const missAll = <Item>(wanted: ReadonlyMap<Subscriber<Item>, readonly unknown[]>): void => {
  for (const [{ stream }, rows] of wanted) stream.miss(rows.length);
};
