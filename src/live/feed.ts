import { unavailable } from '#common/errors.js';
import { type Look, lookQuery } from '#database/visibility.js';
import { createPollLoop, type PollLoop } from '#scheduling/poll-loop.js';
import { Backlogs } from './backlog.js';
import { readMissed } from './catch-up.js';
import type { GivenItems, PollPosition } from './cursor.js';
import {
  type CommittedRow,
  type FeedOptions,
  type FeedQuestion,
  pageSize,
  type Subscriber,
  type SubscriberClaim,
  type Told,
} from './feed-options.js';
import type { ChangeNotice } from './notifications.js';
import { createQueues, type Queues } from './organization-queue.js';
import { createRecentKeys } from './recent-keys.js';
import { TransactionSnapshot } from './snapshot.js';

/** Publishes what is committed, in this process or another, to subscribers. */
export interface Feed<Item, Someone extends Subscriber<Item>> {
  /**
   * Adds a subscriber. It gets everything that is committed after this resolves, and everything since its cursor.
   * @throws ApiError 422 if the cursor is too old, or too much was committed since
   */
  join(someone: Someone, given?: GivenItems): Promise<void>;
  leave(someone: Someone): void;
  /** Hints at what was committed. Undefined requests a full poll. */
  hint(notices: readonly ChangeNotice[] | undefined): void;
  close(): Promise<void>;
}

/** Minimum time between two polls, in milliseconds: hints that arrive within it share one poll. */
const pollSpacing = 20;
/** Interval of full polls, in milliseconds, with or without hints. */
const pollInterval = 1000;
/**
 * Tolerance for identifiers, which are made before their transaction begins and by clocks that differ. Milliseconds.
 */
const margin = 2000;

/**
 * Maximum age of rows that a full poll reads, in milliseconds. Only its notice finds the rows of a transaction that
 * writes for longer.
 */
const maxWriteTime = 60_000;
/** Maximum number of ranges that wait. With more, the feed runs a full poll instead. */
const maxRanges = 500;

/**
 * Creates a feed: one reader for all subscribers of a process.
 *
 * A row is published when the transaction that wrote it is over, however late. A sequence could not tell that, because
 * transactions take its numbers before they commit, and commit in another order. Snapshots can.
 *
 * Once a second the feed runs a full poll: it reads all rows that the snapshot of the last full poll did not see, and
 * that were made since the start of the oldest transaction that was still writing then. This poll alone is complete, so
 * it also finds what a lost notice named. In between, notices name ranges of identifiers, which are read at once. The
 * keys of those rows are remembered until the next full poll, whose snapshot has seen them. Nothing is marked as
 * published before it was pushed to everybody, so a failure on the way repeats the page.
 *
 * Rows must be written outside of savepoints: a snapshot does not list what runs inside one.
 */
export const createFeed = <Item, One extends CommittedRow<Item>, Someone extends Subscriber<Item>>(
  options: FeedOptions<Item, One, Someone>,
): Feed<Item, Someone> => new PollingFeed(options);

class PollingFeed<Item, One extends CommittedRow<Item>, Someone extends Subscriber<Item>>
  implements Feed<Item, Someone>
{
  /** Subscribers, each with the snapshot of its arrival. Rows that the snapshot saw are not published to it. */
  private readonly present = new Map<Someone, TransactionSnapshot>();
  private joining: Joining<Someone>[] = [];
  private demanded = false;
  /** Position of the last full poll. */
  private last: PollPosition = { seen: '', since: 0 };
  private ranges: ChangeNotice[] = [];
  private everything = false;
  private readonly told: ReturnType<typeof createRecentKeys>;
  private readonly queues: Queues;
  private readonly backlogs: Backlogs<Item, One, Someone>;
  private readonly loop: PollLoop;

  constructor(private readonly options: FeedOptions<Item, One, Someone>) {
    const { log, remembered } = options;
    this.told = createRecentKeys(remembered);
    this.queues = createQueues(log);
    this.backlogs = new Backlogs({
      queues: this.queues,
      choose: (wanted) => this.options.choose!(wanted),
      give: (all) => this.give(all),
      isPresent: (someone) => this.present.has(someone),
    });
    this.loop = createPollLoop({
      poll: (whole) => this.poll(whole),
      interval: pollInterval,
      rest: (_, took) => pollSpacing - took,
      isNeeded: () => this.present.size > 0 || this.joining.length > 0,
      onFailure: (error, failures) =>
        failures === 0 && log.error({ err: error }, 'Subscribers cannot be notified; trying again'),
      onRecovery: () => log.info('Subscribers are notified again'),
    });
    this.loop.start();
  }

  async join(someone: Someone, given?: GivenItems): Promise<void> {
    const joined = Promise.withResolvers<PollPosition | undefined>();
    this.joining.push({ someone, joined });
    this.demand();
    this.loop.wake();
    const position = await joined.promise;
    if (given === undefined || position === undefined) return;
    try {
      const back = { someone, given, until: position };
      await this.queues.run(someone.organizationId, () => readMissed<Item, One, Someone>(this.options, back));
    } catch (error) {
      someone.stream.end();
      throw error;
    }
  }

  leave(someone: Someone): void {
    this.present.delete(someone);
    for (const one of this.joining) if (one.someone === someone) one.joined.resolve(undefined);
    this.joining = this.joining.filter((one) => one.someone !== someone);
    this.demand();
  }

  hint(notices: readonly ChangeNotice[] | undefined): void {
    if (this.present.size === 0) return;
    if (notices === undefined) this.everything = true;
    else this.hold(notices);
    this.loop.wake();
  }

  async close(): Promise<void> {
    for (const { stream } of this.present.keys()) stream.end();
    this.refuseAll();
    await this.loop.close();
    await this.queues.close();
  }

  private async poll(whole: boolean): Promise<void> {
    const named = this.ranges;
    const all = whole || this.everything;
    this.ranges = [];
    this.everything = false;
    try {
      await this.tellCommitted(all, named);
      await this.admit();
    } catch (error) {
      this.everything = all;
      this.hold(named);
      this.refuseAll();
      throw error;
    }
  }

  /** Publishes the rows in the named ranges and, with `whole`, everything committed since the last full poll. */
  private async tellCommitted(whole: boolean, named: readonly ChangeNotice[]): Promise<void> {
    const { seen: unseenBy, since } = this.last;
    if (named.length > 0) await this.readAll({ unseenBy, since, ranges: named });
    if (!whole) return;
    const now = await this.look();
    // Rows committed after this snapshot are left to the next poll, so that its snapshot has seen everything that was
    // published.
    await this.readAll({ unseenBy, since, seenBy: now.seen });
    await this.dismiss([...this.present.keys()]);
    this.last = now;
    this.reach(now);
    this.told.expire();
  }

  private async look(): Promise<PollPosition> {
    const { rows } = await this.options.pool.query<Look>(lookQuery);
    const { seen, now, oldest } = rows[0]!;
    return { seen, since: Math.max(Math.min(now, oldest ?? now), now - maxWriteTime) - margin };
  }

  private async readAll(question: Omit<FeedQuestion<Someone>, 'subscribers' | 'after'>): Promise<void> {
    const { pool, read } = this.options;
    let after: string | undefined;
    for (;;) {
      const subscribers = [...this.present.keys()];
      if (subscribers.length === 0) return;
      const page = await read({ ...question, subscribers, ...(after !== undefined && { after }) }, pool);
      await this.tell(page);
      if (page.length < pageSize) return;
      after = page.at(-1)!.cursor;
    }
  }

  private async tell(page: readonly One[]): Promise<void> {
    const fresh = page.filter(({ key }) => !this.told.has(key));
    if (fresh.length === 0) return;
    const wanted = [...this.options.sort(fresh, [...this.present.keys()])].map(([someone, rows]) => {
      const before = this.present.get(someone);
      return [someone, rows.filter(({ xid }) => before?.saw(xid) === false)] as const;
    });
    const some = wanted.filter(([, rows]) => rows.length > 0);
    const direct = some.filter(([someone]) => !this.isChoosy(someone));
    await this.give(new Map(direct.map(([someone, rows]) => [someone, { rows, missed: 0, open: [] }])));
    this.giveChosen(new Map(some.filter(([someone]) => this.isChoosy(someone))));
    for (const { key } of fresh) this.told.add(key);
    if (this.told.full()) this.everything = true;
  }

  private isChoosy(someone: Someone): boolean {
    return this.options.isChoosy?.(someone) === true;
  }

  /** Pushes rows to the subscribers that may still see them. */
  private async give(all: ReadonlyMap<Someone, Told<One>>): Promise<void> {
    await this.dismiss([...all.keys()]);
    for (const [someone, { rows, missed }] of all) {
      someone.stream.push(rows);
      someone.stream.miss(missed);
    }
  }

  /** Queues rows for the queries of their organization, so that slow queries delay no other organization. */
  private giveChosen(wanted: ReadonlyMap<Someone, readonly One[]>): void {
    for (const [organizationId, some] of Map.groupBy(wanted, ([{ organizationId }]) => organizationId)) {
      this.backlogs.add(organizationId, new Map(some));
    }
  }

  /** Ends the streams whose claim no longer holds, each with the reason. */
  private async dismiss(claimants: readonly Someone[]): Promise<void> {
    const claims = new Map(claimants.map(({ claim }) => [claimKey(claim), claim]));
    if (claims.size === 0) return;
    const faults = await this.options.recheck([...claims.values()]);
    const byName = new Map([...claims.keys()].map((name, index) => [name, faults[index]]));
    for (const { claim, stream } of claimants) {
      const fault = byName.get(claimKey(claim));
      if (fault !== undefined) stream.end(fault);
    }
  }

  /** Notes that everything which this position's snapshot saw has been published. */
  private reach(position: PollPosition): void {
    for (const someone of this.present.keys()) {
      const mark = () => someone.stream.reach(position);
      if (this.isChoosy(someone)) {
        this.backlogs.seal(someone.organizationId);
        this.queues.after(someone.organizationId, mark);
      } else mark();
    }
  }

  /** Admits the waiting subscribers. What is committed after this snapshot is published to them. */
  private async admit(): Promise<void> {
    if (this.joining.length === 0) return;
    const now = await this.look();
    if (this.present.size === 0) {
      this.last = now;
      this.ranges = [];
      this.told.clear();
    }
    const seen = new TransactionSnapshot(now.seen);
    for (const { someone, joined } of this.joining) {
      this.present.set(someone, seen);
      someone.stream.begin(now);
      joined.resolve(now);
    }
    this.joining = [];
  }

  private refuseAll(): void {
    for (const { joined } of this.joining) joined.reject(unavailable());
    this.joining = [];
    this.demand();
  }

  /** Calls `onDemand` when the first subscriber arrives or the last one leaves. */
  private demand(): void {
    const is = this.present.size > 0 || this.joining.length > 0;
    if (is !== this.demanded) this.options.onDemand((this.demanded = is));
  }

  /** Keeps ranges for the next poll. */
  private hold(more: readonly ChangeNotice[]): void {
    this.ranges.push(...more);
    if (this.ranges.length > maxRanges) {
      this.ranges = [];
      this.everything = true;
    }
  }
}

/** A subscriber that waits for admission. */
interface Joining<Someone> {
  someone: Someone;
  joined: PromiseWithResolvers<PollPosition | undefined>;
}

const claimKey = (claim: SubscriberClaim): string =>
  `${claim.tokenId}/${claim.role}/${claim.applicationId}/${claim.hookId}`;
