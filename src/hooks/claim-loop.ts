import type pg from 'pg';
import type { Logger } from 'pino';
import { newId } from '../entities/id.js';
import { named } from '../named.js';
import { createPollLoop, type PollLoop } from '../poll-loop.js';
import { type Claimed, type ClaimedRow, claimPingsQuery, claimQuery, lease } from './claim.js';

/** Most calls that one process has in flight: so many that hooks that hang cannot fill them, since each has its own cap. */
const maxInFlight = 1000;
/** Most deliveries that one claim takes. */
const maxClaimed = 250;
/** After a claim of this many the loop does not rest. */
const manyClaimed = 16;
/** Most pings that one poll claims. */
const maxPings = 100;
/** Time between two looks at all hooks without a hint, in milliseconds. */
const pollInterval = 500;
/** Least time between two claims, in milliseconds: hints that come sooner share one. */
const pollSpacing = 10;
/** Longest rest after a slow look at all hooks, in milliseconds. */
const maxRest = 2000;

/** What a claim took; `isCut` where more may have been due, and how long its statement took, in milliseconds. */
interface Taken {
  rows: readonly ClaimedRow[];
  isCut: boolean;
  took: number;
}

const nothing: Taken = { rows: [], isCut: false, took: 0 };

/** A delivery that is claimed and not settled. */
interface Held {
  delivery: Pick<Claimed, 'hookId' | 'organizationId'>;
}

/** What claims deliveries. */
export interface ClaimLoopOptions {
  pool: Pick<pg.Pool, 'query'>;
  clock: () => number;
  log: Logger;
  /** Deliveries of this process that are not settled. */
  held(): Iterable<Held>;
  /** Takes what was claimed; the leases run out at `until`. */
  launch(rows: readonly ClaimedRow[], until: number): void;
  /** Resolves once so few calls wait to begin that more may come. */
  ready(): Promise<void>;
}

/**
 * Claims deliveries in two loops. One looks at the hooks that it is told of, and at those that have more than their last claim
 * could take whenever one of their calls is settled. The other looks at all hooks, at intervals: it finds retries that
 * became due, and what other processes left. That look is slow while somebody stores very many deliveries, because it steps
 * over all that are not committed yet; the first loop looks at those of the named hooks only.
 */
export class ClaimLoop {
  private readonly ofNamed: PollLoop;
  private readonly ofAll: PollLoop;
  /** Hooks that may have something due. */
  private named = new Set<string>();
  /** Hooks of which more probably waits than was claimed. */
  private readonly full = new Set<string>();
  /** Whether the last look at all hooks left something behind. */
  private more = false;
  /** How often calls were settled. */
  private settlements = 0;
  /** Deliveries that claims under way may take. */
  private claiming = 0;
  /** Hooks that a rate holds back. */
  private readonly rated = new Set<string>();
  private nextCall: NodeJS.Timeout | undefined;

  constructor(private readonly options: ClaimLoopOptions) {
    const { log } = options;
    this.ofNamed = createPollLoop({
      poll: () => this.claimNamed(),
      rest: ({ rows }, took) => (rows.length >= manyClaimed ? 0 : pollSpacing - took),
      interval: Number.POSITIVE_INFINITY,
      // The other loop fails for the same reason, and says so.
      onFailure: () => undefined,
    });
    this.ofAll = createPollLoop({
      poll: (full) => this.claimAll(full),
      rest: restOfAll,
      interval: pollInterval,
      onFailure: (error, failures) =>
        failures === 0 && log.error({ err: error }, 'deliveries cannot be claimed; trying again'),
      onRecovery: () => log.info('deliveries are claimed again'),
    });
  }

  start(): void {
    this.ofNamed.start();
    this.ofAll.start();
  }

  /** A hint that deliveries of some hooks are due, or of these (pings too, at once). */
  wake({ pings = false, hookIds }: { pings?: boolean; hookIds?: Iterable<string> } = {}): void {
    for (const id of hookIds ?? []) this.named.add(id);
    if (hookIds !== undefined) this.ofNamed.wake();
    if (hookIds === undefined || pings) this.ofAll.wake(pings);
  }

  /** Calls of these deliveries are over: their hooks have free slots. */
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
    if (this.named.size === 0) return nothing;
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

  /** Hooks for which there was no place are claimed when a call is settled, or now where one was since that many settlements. */
  private nameAgain(hookIds: ReadonlySet<string>, settlements: number): void {
    for (const id of hookIds) this.named.add(id);
    const [anyHeld] = this.options.held();
    if (settlements !== this.settlements || anyHeld === undefined) this.ofNamed.wake();
  }

  /** Hooks that nothing was found of, and that have no call that would be settled, are full no more. */
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
      launch((await pool.query<ClaimedRow>(named('claim-pings', query))).rows, now + lease);
    }
    const taken = await this.claim();
    this.more = taken.isCut;
    return taken;
  }

  /** Claims what is due of these hooks, or of all, as far as calls are free. */
  private async claim(hookIds?: readonly string[]): Promise<Taken> {
    const { pool, clock, launch, ready } = this.options;
    const held = [...this.options.held()];
    const underWay = countByOrganization(held);
    const free = maxInFlight - held.length - this.claiming;
    const limit = Math.min(maxClaimed, free);
    if (limit <= 0) return { ...nothing, isCut: true };
    const now = clock();
    const query = claimQuery({ claimId: newId(), limit, now, free, underWay, ...(hookIds && { hookIds }) });
    let rows: readonly ClaimedRow[];
    const begun = performance.now();
    this.claiming += limit;
    try {
      ({ rows } = await pool.query<ClaimedRow>(named(hookIds ? 'claim of hooks' : 'claim', query)));
    } finally {
      this.claiming -= limit;
    }
    const took = performance.now() - begun;
    const isCut = rows.length === limit || sharesAreUp(rows, free, underWay);
    this.note(rows, isCut);
    launch(rows, now + lease);
    // More claims would only wait here; one large claim costs hardly more than a small one.
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

  /** Claims again when a hook with a rate may be called, which is sooner than the next look at all hooks. */
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

/** Whether an organization has as many calls as it may have beside others: half of what is free beyond what it had. */
const sharesAreUp = (rows: readonly ClaimedRow[], free: number, underWay: ReadonlyMap<string, number>): boolean => {
  const taken = new Map([...underWay.keys()].map((id) => [id, 0]));
  for (const { organizationId } of rows) taken.set(organizationId, (taken.get(organizationId) ?? 0) + 1);
  return [...taken].some(([id, count]) => count >= Math.floor((free - (underWay.get(id) ?? 0)) / 2));
};

/** Looks that find little take a tenth of the time at most, unless that would be a long rest. */
const restOfAll = ({ rows, took }: Taken): number => {
  if (rows.length >= manyClaimed) return 0;
  return took < pollSpacing ? pollSpacing - took : Math.min(9 * took, maxRest);
};
