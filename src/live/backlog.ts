import { type CommittedRow, type FeedOptions, pageSize, type Subscriber, type Told } from './feed-options.js';
import type { Queues } from './organization-queue.js';
import { maxCharacters } from './stream.js';

/** Maximum size of the rows that wait for the queries of one organization's subscriptions, in characters of JSON. */
const maxSize = 8 * maxCharacters;
/**
 * Maximum number of rows that queries judge at once. A statement costs some milliseconds, however few rows it has; a
 * stream holds twice as many.
 */
const maxRows = pageSize;
/** Maximum time that rows wait for their query, in milliseconds. */
const maxWait = 10_000;

/** A batch of rows that wait for the queries of one organization's subscriptions. */
interface Piece<One, Someone> {
  wanted: Map<Someone, readonly One[]>;
  count: number;
  /** Size in characters of JSON. */
  size: number;
  /** Time at which the first row was added. */
  since: number;
}

/** Judges rows and publishes them to subscribers. */
interface Judge<Item, One extends CommittedRow<Item>, Someone extends Subscriber<Item>> {
  queues: Queues;
  choose: NonNullable<FeedOptions<Item, One, Someone>['choose']>;
  give(all: ReadonlyMap<Someone, Told<One>>): Promise<void>;
  /** Whether the subscriber is still subscribed. */
  isPresent(someone: Someone): boolean;
}

/**
 * Holds rows until the queries of their organization's subscriptions judge them. Rows that arrive during a judgement
 * wait and are judged together. Rows count as missed if more than {@link maxSize} waits, or if they wait longer than
 * {@link maxWait}.
 */
export class Backlogs<Item, One extends CommittedRow<Item>, Someone extends Subscriber<Item>> {
  /** The batch of each organization that takes further rows. */
  private readonly open = new Map<string, Piece<One, Someone>>();
  private readonly sizes = new Map<string, number>();

  constructor(private readonly judge: Judge<Item, One, Someone>) {}

  /** Adds the rows that each subscriber of an organization may see. */
  add(organizationId: string, wanted: ReadonlyMap<Someone, readonly One[]>): void {
    const rows = new Set([...wanted.values()].flat());
    const size = [...rows].reduce((sum, one) => sum + Math.min(one.size, maxCharacters), 0);
    const held = this.sizes.get(organizationId) ?? 0;
    // A single page may exceed the limit slightly.
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

  /** Closes the organization's current batch, so that later rows come after what is queued next. */
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

  /** Judges a batch, and judges again the rows that its queries leave open. */
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
