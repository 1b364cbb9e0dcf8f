import { unavailable } from '../errors.js';
import { createPollLoop } from '../poll-loop.js';
import { type Look, lookQuery } from '../visibility.js';
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
import { createQueues } from './queue.js';
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
export function createFeed<Item, One extends Row<Item>, Someone extends Subscriber<Item>>(
  options: FeedOptions<Item, One, Someone>,
): Feed<Item, Someone> {
  const { pool, recheck, log, read, sort, onDemand, remembered } = options;
  const isChoosy = (someone: Someone) => options.isChoosy?.(someone) === true;
  /** The subscribers, each with the snapshot of when it came: rows that the snapshot saw are not told. */
  const present = new Map<Someone, Snapshot>();
  let joining: Joining<Someone>[] = [];
  let demanded = false;
  /** The last look at everything: its snapshot, and the earliest time of rows that it may not have seen. */
  let last: Position = { seen: '', since: 0 };
  let ranges: Notice[] = [];
  let everything = false;
  const told = createRecentKeys(remembered);

  const queues = createQueues(log);

  const look = async (): Promise<Position> => {
    const { rows } = await pool.query<Look>(lookQuery);
    const { seen, now, oldest } = rows[0]!;
    return { seen, since: Math.max(Math.min(now, oldest ?? now), now - maxWriteTime) - margin };
  };

  const demand = () => {
    const is = present.size > 0 || joining.length > 0;
    if (is !== demanded) onDemand((demanded = is));
  };

  const refuseAll = () => {
    for (const { joined } of joining) joined.reject(unavailable());
    joining = [];
    demand();
  };

  /** Adds the subscribers that wait: they are told what is committed after this look. */
  const admit = async () => {
    if (joining.length === 0) return;
    const now = await look();
    if (present.size === 0) {
      last = now;
      ranges = [];
      told.clear();
    }
    const seen = new Snapshot(now.seen);
    for (const { someone, joined } of joining) {
      present.set(someone, seen);
      someone.stream.begin(now);
      joined.resolve(now);
    }
    joining = [];
  };

  /** Ends the streams whose claim no longer holds, each with the reason. */
  const dismiss = async (claimants: readonly Someone[]) => {
    const claims = new Map(claimants.map(({ claim }) => [nameOf(claim), claim]));
    if (claims.size === 0) return;
    const faults = await recheck([...claims.values()]);
    const byName = new Map([...claims.keys()].map((name, index) => [name, faults[index]]));
    for (const { claim, stream } of claimants) {
      const fault = byName.get(nameOf(claim));
      if (fault !== undefined) stream.end(fault);
    }
  };

  /** Gives rows to the subscribers that may still see them. */
  const give = async (all: ReadonlyMap<Someone, Told<One>>) => {
    await dismiss([...all.keys()]);
    for (const [someone, { rows, missed }] of all) {
      someone.stream.push(rows);
      someone.stream.miss(missed);
    }
  };

  /** Work that may be slow waits in the queue of its organization, so that it delays no other organization. */
  const giveChosen = (wanted: ReadonlyMap<Someone, readonly One[]>) => {
    for (const [organizationId, some] of Map.groupBy(wanted, ([{ organizationId }]) => organizationId)) {
      const missAll = () => some.forEach(([{ stream }, rows]) => stream.miss(rows.length));
      const work = async () => give(await options.choose!(new Map(some)));
      if (!queues.add(organizationId, work, missAll)) missAll();
    }
  };

  const tell = async (page: readonly One[]) => {
    const fresh = page.filter(({ key }) => !told.has(key));
    if (fresh.length === 0) return;
    const wanted = [...sort(fresh, [...present.keys()])].map(([someone, rows]) => {
      const before = present.get(someone);
      return [someone, rows.filter(({ xid }) => before?.saw(xid) === false)] as const;
    });
    const some = wanted.filter(([, rows]) => rows.length > 0);
    const direct = some.filter(([someone]) => !isChoosy(someone));
    await give(new Map(direct.map(([someone, rows]) => [someone, { rows, missed: 0 }])));
    giveChosen(new Map(some.filter(([someone]) => isChoosy(someone))));
    for (const { key } of fresh) told.add(key);
    if (told.full()) everything = true;
  };

  /** Everything that this look saw has been told. */
  const reach = (position: Position) => {
    for (const someone of present.keys()) {
      const mark = () => someone.stream.reach(position);
      if (isChoosy(someone)) queues.after(someone.organizationId, mark);
      else mark();
    }
  };

  const readAll = async (question: Omit<Question<Someone>, 'subscribers' | 'after'>) => {
    let after: string | undefined;
    for (;;) {
      const subscribers = [...present.keys()];
      if (subscribers.length === 0) return;
      const page = await read({ ...question, subscribers, ...(after !== undefined && { after }) }, pool);
      await tell(page);
      if (page.length < pageSize) return;
      after = page.at(-1)!.cursor;
    }
  };

  const hold = (more: readonly Notice[]) => {
    ranges.push(...more);
    if (ranges.length > maxRanges) {
      ranges = [];
      everything = true;
    }
  };

  const work = async (whole: boolean, named: readonly Notice[]) => {
    if (named.length > 0) await readAll({ unseenBy: last.seen, since: last.since, ranges: named });
    if (!whole) return;
    const now = await look();
    // What is committed after this look is left to the next one, so that its snapshot has seen all that was told.
    await readAll({ unseenBy: last.seen, since: last.since, seenBy: now.seen });
    await dismiss([...present.keys()]);
    last = now;
    reach(now);
    told.expire();
  };

  const poll = async (whole: boolean) => {
    const named = ranges;
    const all = whole || everything;
    ranges = [];
    everything = false;
    try {
      await work(all, named);
      await admit();
    } catch (error) {
      everything = all;
      hold(named);
      refuseAll();
      throw error;
    }
  };

  const loop = createPollLoop({
    poll,
    interval: pollInterval,
    rest: (_, took) => pollSpacing - took,
    isNeeded: () => present.size > 0 || joining.length > 0,
    onFailure: (error, failures) =>
      failures === 0 && log.error({ err: error }, 'subscribers cannot be told; trying again'),
    onRecovery: () => log.info('subscribers are told again'),
  });
  loop.start();

  return {
    async join(someone, given) {
      const joined = Promise.withResolvers<Position | undefined>();
      joining.push({ someone, joined });
      demand();
      loop.wake();
      const position = await joined.promise;
      if (given === undefined || position === undefined) return;
      try {
        const back = { someone, given, until: position };
        await queues.run(someone.organizationId, () => readMissed<Item, One, Someone>(options, back));
      } catch (error) {
        someone.stream.end();
        throw error;
      }
    },
    leave(someone) {
      present.delete(someone);
      for (const one of joining) if (one.someone === someone) one.joined.resolve(undefined);
      joining = joining.filter((one) => one.someone !== someone);
      demand();
    },
    hint(notices) {
      if (present.size === 0) return;
      if (notices === undefined) everything = true;
      else hold(notices);
      loop.wake();
    },
    async close() {
      for (const { stream } of present.keys()) stream.end();
      refuseAll();
      await loop.close();
      await queues.close();
    },
  };
}

/** Somebody who waits to be let in. */
interface Joining<Someone> {
  someone: Someone;
  joined: PromiseWithResolvers<Position | undefined>;
}

const nameOf = (claim: Claim): string => `${claim.tokenId}/${claim.role}/${claim.applicationId}/${claim.hookId}`;
