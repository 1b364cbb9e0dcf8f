import type { Logger } from 'pino';
import { namedStatement } from '#database/named-statement.js';
import type { Queryable } from '#database/queryable.js';
import { newId } from '#entities/id.js';
import { createPollLoop, type PollLoop } from '#scheduling/poll-loop.js';
import { type Claimed, type ClaimedRow, claimPingsQuery, claimQuery, deliveryLease } from './claim.js';

/**
 * Maximum number of calls that one process has in flight. It is high enough that hanging hooks cannot use it up, since
 * each hook has its own cap.
 */
const maxInFlight = 1000;
/** Maximum number of deliveries of one claim. */
const maxClaimed = 250;
/** The loop does not rest after a claim of at least this many deliveries. */
const manyClaimed = 16;
/** Maximum number of pings that one poll claims. */
const maxPings = 100;
/** Time between two polls of all hooks without a hint, in milliseconds. */
const pollInterval = 500;
/** Minimum time between two claims, in milliseconds: hints that arrive within it share one claim. */
const pollSpacing = 10;
/** Maximum rest after a slow poll of all hooks, in milliseconds. */
const maxRest = 2000;

/**
 * Result of a claim. `isCut` says that more deliveries may have been due; `took` is the duration of the statement in
 * milliseconds.
 */
interface Taken {
  rows: readonly ClaimedRow[];
  isCut: boolean;
  took: number;
}

const emptyClaim: Taken = { rows: [], isCut: false, took: 0 };

/** A delivery that is claimed and not yet settled. */
interface Held {
  delivery: Pick<Claimed, 'hookId' | 'organizationId'>;
}

export interface ClaimLoopOptions {
  pool: Queryable;
  clock: () => number;
  log: Logger;
  /** Deliveries that this process has claimed and not settled. */
  held(): Iterable<Held>;
  /** Begins the calls of claimed deliveries, whose leases end at `until` (milliseconds since 1970). */
  launch(rows: readonly ClaimedRow[], until: number): void;
  /** Resolves once so few calls wait to begin that more deliveries may be claimed. */
  ready(): Promise<void>;
}

/**
 * Claims deliveries in two loops.
 *
 * The first polls the hooks named in hints. It also polls again, whenever one of their calls is settled, the hooks that
 * had more due than their last claim could take. The second polls all hooks at intervals: it finds retries that became
 * due, and deliveries that other processes left.
 *
 * The second loop is slow while somebody stores very many deliveries, because its query steps over all deliveries that
 * are not committed yet. The first loop's query reads those of the named hooks only.
 */
export class ClaimLoop {
  private readonly ofNamed: PollLoop;
  private readonly ofAll: PollLoop;
  /** Hooks that may have deliveries due. */
  private named = new Set<string>();
  /** Hooks that probably have more deliveries due than were claimed. */
  private readonly full = new Set<string>();
  /** Whether the last poll of all hooks left deliveries behind. */
  private more = false;
  /** Number of times that calls were settled. */
  private settlements = 0;
  /** Number of deliveries that claims in progress may take. */
  private claiming = 0;
  /** Hooks that their rate limit delays. */
  private readonly rated = new Set<string>();
  private nextCall: NodeJS.Timeout | undefined;

  constructor(private readonly options: ClaimLoopOptions) {
    const { log } = options;
    this.ofNamed = createPollLoop({
      poll: () => this.claimNamed(),
      rest: ({ rows }, took) => (rows.length >= manyClaimed ? 0 : pollSpacing - took),
      interval: Number.POSITIVE_INFINITY,
      // The other loop fails for the same reason, and logs it.
      onFailure: () => undefined,
    });
    this.ofAll = createPollLoop({
      poll: (full) => this.claimAll(full),
      rest: restOfAll,
      interval: pollInterval,
      onFailure: (error, failures) =>
        failures === 0 && log.error({ err: error }, 'Deliveries cannot be claimed; trying again'),
      onRecovery: () => log.info('Deliveries are claimed again'),
    });
  }

  start(): void {
    this.ofNamed.start();
    this.ofAll.start();
  }

  /**
   * Wakes the loops: deliveries of the given hooks are due, or of any hook if none is given. `pings` claims pings at
   * once.
   */
  wake({ pings = false, hookIds }: { pings?: boolean; hookIds?: Iterable<string> } = {}): void {
    for (const id of hookIds ?? []) this.named.add(id);
    if (hookIds !== undefined) this.ofNamed.wake();
    if (hookIds === undefined || pings) this.ofAll.wake(pings);
  }

  /** Notes that calls of these deliveries are over, so their hooks have free slots. */
  settled(deliveries: Iterable<Pick<Claimed, 'hookId'>>): void {
    this.settlements++;
    for (const { hookId } of deliveries) if (this.full.has(hookId)) this.named.add(hookId);
    if (this.named.size > 0) this.ofNamed.wake();
    if (this.more) this.ofAll.wake();
  }

  async close(): Promise<void> {
    clearTimeout(this.nextCall);
    await Promise.all([this.ofNamed.close(), this.ofAll.close()]);
  }

  private async claimNamed(): Promise<Taken> {
    if (this.named.size === 0) return emptyClaim;
    const hookIds = this.named;
    this.named = new Set();
    const { settlements } = this;
    let isCut = true;
    try {
      const taken = await this.claim([...hookIds]);
      isCut = taken.isCut;
      const found = new Set(taken.rows.map(({ hookId }) => hookId));
      this.forgetIdle([...hookIds].filter((id) => !found.has(id)));
      return taken;
    } finally {
      if (isCut) this.nameAgain(hookIds, settlements);
    }
  }

  /**
   * Names hooks again for which there was no room. They are claimed when the next call is settled. They are claimed at
   * once if a call was settled since `settlements` was read, or if no call is left whose settling could trigger the
   * claim.
   */
  private nameAgain(hookIds: ReadonlySet<string>, settlements: number): void {
    for (const id of hookIds) this.named.add(id);
    const [anyHeld] = this.options.held();
    if (settlements !== this.settlements || anyHeld === undefined) this.ofNamed.wake();
  }

  /** Removes hooks from `full` if a claim found nothing due and no call of theirs is left to be settled. */
  private forgetIdle(hookIds: readonly string[]): void {
    const busy = new Set<string>();
    for (const { delivery } of this.options.held()) busy.add(delivery.hookId);
    for (const id of hookIds) if (!busy.has(id)) this.full.delete(id);
  }

  private async claimAll(full: boolean): Promise<Taken> {
    const { pool, clock, launch } = this.options;
    if (full) {
      const now = clock();
      const query = claimPingsQuery({ claimId: newId(), limit: maxPings, now });
      launch((await pool.query<ClaimedRow>(namedStatement('claim-pings', query))).rows, now + deliveryLease);
    }
    const taken = await this.claim();
    this.more = taken.isCut;
    return taken;
  }

  /** Claims due deliveries of the given hooks, or of all hooks, up to the number of free calls. */
  private async claim(hookIds?: readonly string[]): Promise<Taken> {
    const { pool, clock, launch, ready } = this.options;
    const held = [...this.options.held()];
    const underWay = countByOrganization(held);
    const free = maxInFlight - held.length - this.claiming;
    const limit = Math.min(maxClaimed, free);
    if (limit <= 0) return { ...emptyClaim, isCut: true };
    const now = clock();
    const query = claimQuery({ claimId: newId(), limit, now, free, underWay, ...(hookIds && { hookIds }) });
    let rows: readonly ClaimedRow[];
    const begun = performance.now();
    this.claiming += limit;
    try {
      ({ rows } = await pool.query<ClaimedRow>(namedStatement(hookIds ? 'claim of hooks' : 'claim', query)));
    } finally {
      this.claiming -= limit;
    }
    const took = performance.now() - begun;
    const isCut = rows.length === limit || sharesAreUp(rows, free, underWay);
    this.note(rows, isCut);
    launch(rows, now + deliveryLease);
    // More claimed deliveries would only wait here, and one large claim costs hardly more than a small one.
    await ready();
    if (rows.length === limit) this.wake(hookIds && { hookIds });
    return { rows, isCut, took };
  }

  private note(rows: readonly ClaimedRow[], isCut: boolean): void {
    for (const { hookId, full, maxPerSecond } of rows) {
      if (full || isCut) this.full.add(hookId);
      else this.full.delete(hookId);
      if (maxPerSecond !== null) this.wakeIn(hookId, 1000 / maxPerSecond + 5);
    }
  }

  /** Claims again when a rate-limited hook may be called, which is sooner than the next poll of all hooks. */
  private wakeIn(hookId: string, milliseconds: number): void {
    this.rated.add(hookId);
    this.nextCall ??= setTimeout(() => {
      this.nextCall = undefined;
      this.wake({ hookIds: this.rated });
      this.rated.clear();
    }, milliseconds);
  }
}

const countByOrganization = (held: readonly Held[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { delivery } of held) counts.set(delivery.organizationId, (counts.get(delivery.organizationId) ?? 0) + 1);
  return counts;
};

/** Whether some organization took its share in this claim: (free calls - its calls in flight) / 2, rounded down. */
const sharesAreUp = (rows: readonly ClaimedRow[], free: number, underWay: ReadonlyMap<string, number>): boolean => {
  const taken = new Map([...underWay.keys()].map((id) => [id, 0]));
  for (const { organizationId } of rows) taken.set(organizationId, (taken.get(organizationId) ?? 0) + 1);
  return [...taken].some(([id, count]) => count >= Math.floor((free - (underWay.get(id) ?? 0)) / 2));
};

/**
 * Rests after a poll of all hooks so that polls that find little take at most a tenth of the time, up to a maximum
 * rest.
 */
const restOfAll = ({ rows, took }: Taken): number => {
  if (rows.length >= manyClaimed) return 0;
  return took < pollSpacing ? pollSpacing - took : Math.min(9 * took, maxRest);
};
