import { unavailable } from '../errors.js';
import { createPollLoop, type PollLoop } from '../poll-loop.js';
import { type Look, lookQuery } from '../visibility.js';
import { Backlogs } from './backlog.js';
import { readMissed } from './catch-up.js';
import type { Given, Position } from './cursor.js';
import {
  type Claim,
  type FeedOptions,
  pageSize,
  type Question,
  type Row,
  type Subscriber,
  type Told,
} from './feed-options.js';
import type { Notice } from './notifications.js';
import { createQueues, type Queues } from './queue.js';
import { createRecentKeys } from './recent-keys.js';
import { Snapshot } from './snapshot.js';

/** Tells subscribers of what is committed, in this process or another. */
export interface Feed<Item, Someone extends Subscriber<Item>> {
  /**
   * Adds a subscriber. It is told of everything that is committed after this resolves, and of everything since its cursor.
   * @throws invalid where the cursor is too old, or too much came since.
   */
  join(someone: Someone, given?: Given): Promise<void>;
  leave(someone: Someone): void;
  /** Hints at what was committed; `undefined`: not known, look at everything. */
  hint(notices: readonly Notice[] | undefined): void;
  close(): Promise<void>;
}

/** Least time between two polls, in milliseconds: hints that come sooner share one. */
const pollSpacing = 20;
/** Time between two polls that look at everything, in milliseconds, with or without a hint. */
const pollInterval = 1000;
/** Allowance for identifiers, which are made before their transaction begins and by clocks that differ. Milliseconds. */
const margin = 2000;

/** A look goes back no further than this, in milliseconds: a transaction that writes for longer is found by its notice alone. */
const maxWriteTime = 60_000;
/** Most ranges that wait. With more, the feed looks at everything instead. */
const maxRanges = 500;

/**
 * One reader for all subscribers of a process. A row is told when the transaction that wrote it is over, however late:
 * not by a sequence, whose numbers transactions take before they commit, and commit in another order, but
 * by a snapshot. Once a second the feed looks at everything: at all rows that the snapshot of the last such look did not
 * see, and that were made since the oldest transaction began that was still writing then. That alone is complete, and
 * finds what a lost notice told of. In between, notices name ranges of identifiers, which are read at once; what they
 * led to is remembered until the next look, whose snapshot has seen it. Nothing is marked as told until everybody has
 * been told, so that a failure on the way repeats the page.
 *
 * This counts on rows written outside of savepoints: a snapshot does not list what runs inside one.
 */
export const createFeed = <Item, One extends Row<Item>, Someone extends Subscriber<Item>>(
  options: FeedOptions<Item, One, Someone>,
): Feed<Item, Someone> => new PollingFeed(options);

class PollingFeed<Item, One extends Row<Item>, Someone extends Subscriber<Item>> implements Feed<Item, Someone> {
  /** The subscribers, each with the snapshot of when it came: rows that the snapshot saw are not told. */
  private readonly present = new Map<Someone, Snapshot>();
  private joining: Joining<Someone>[] = [];
  private demanded = false;
  /** The last look at everything: its snapshot, and the earliest time of rows that it may not have seen. */
  private last: Position = { seen: '', since: 0 };
  private ranges: Notice[] = [];
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
        failures === 0 && log.error({ err: error }, 'subscribers cannot be told; trying again'),
      onRecovery: () => log.info('subscribers are told again'),
    });
    this.loop.start();
  }

  async join(someone: Someone, given?: Given): Promise<void> {
    const joined = Promise.withResolvers<Position | undefined>();
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

  hint(notices: readonly Notice[] | undefined): void {
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

  /** Tells what the ranges name, and with `whole` everything that was committed since the last look. */
  private async tellCommitted(whole: boolean, named: readonly Notice[]): Promise<void> {
    const { seen: unseenBy, since } = this.last;
    if (named.length > 0) await this.readAll({ unseenBy, since, ranges: named });
    if (!whole) return;
    const now = await this.look();
    // What is committed after this look is left to the next one, so that its snapshot has seen all that was told.
    await this.readAll({ unseenBy, since, seenBy: now.seen });
    await this.dismiss([...this.present.keys()]);
    this.last = now;
    this.reach(now);
    this.told.expire();
  }

  private async look(): Promise<Position> {
    const { rows } = await this.options.pool.query<Look>(lookQuery);
    const { seen, now, oldest } = rows[0]!;
    return { seen, since: Math.max(Math.min(now, oldest ?? now), now - maxWriteTime) - margin };
  }

  private async readAll(question: Omit<Question<Someone>, 'subscribers' | 'after'>): Promise<void> {
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

  /** Gives rows to the subscribers that may still see them. */
  private async give(all: ReadonlyMap<Someone, Told<One>>): Promise<void> {
    await this.dismiss([...all.keys()]);
    for (const [someone, { rows, missed }] of all) {
      someone.stream.push(rows);
      someone.stream.miss(missed);
    }
  }

  /** Rows wait for queries in the queue of their organization, so that slow ones delay no other organization. */
  private giveChosen(wanted: ReadonlyMap<Someone, readonly One[]>): void {
    for (const [organizationId, some] of Map.groupBy(wanted, ([{ organizationId }]) => organizationId)) {
      this.backlogs.add(organizationId, new Map(some));
    }
  }

  /** Ends the streams whose claim no longer holds, each with the reason. */
  private async dismiss(claimants: readonly Someone[]): Promise<void> {
    const claims = new Map(claimants.map(({ claim }) => [nameOf(claim), claim]));
    if (claims.size === 0) return;
    const faults = await this.options.recheck([...claims.values()]);
    const byName = new Map([...claims.keys()].map((name, index) => [name, faults[index]]));
    for (const { claim, stream } of claimants) {
      const fault = byName.get(nameOf(claim));
      if (fault !== undefined) stream.end(fault);
    }
  }

  /** Everything that this look saw has been told. */
  private reach(position: Position): void {
    for (const someone of this.present.keys()) {
      const mark = () => someone.stream.reach(position);
      if (this.isChoosy(someone)) {
        this.backlogs.seal(someone.organizationId);
        this.queues.after(someone.organizationId, mark);
      } else mark();
    }
  }

  /** Adds the subscribers that wait: they are told what is committed after this look. */
  private async admit(): Promise<void> {
    if (this.joining.length === 0) return;
    const now = await this.look();
    if (this.present.size === 0) {
      this.last = now;
      this.ranges = [];
      this.told.clear();
    }
    const seen = new Snapshot(now.seen);
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

  /** Says whether there is anybody to tell, when that changes. */
  private demand(): void {
    const is = this.present.size > 0 || this.joining.length > 0;
    if (is !== this.demanded) this.options.onDemand((this.demanded = is));
  }

  /** Holds ranges for the next poll. */
  private hold(more: readonly Notice[]): void {
    this.ranges.push(...more);
    if (this.ranges.length > maxRanges) {
      this.ranges = [];
      this.everything = true;
    }
  }
}

/** Somebody who waits to be let in. */
interface Joining<Someone> {
  someone: Someone;
  joined: PromiseWithResolvers<Position | undefined>;
}

const nameOf = (claim: Claim): string => `${claim.tokenId}/${claim.role}/${claim.applicationId}/${claim.hookId}`;
