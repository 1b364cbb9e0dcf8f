import type pg from 'pg';
import type { Logger } from 'pino';
import { newId } from '../entities/id.js';
import { named } from '../named.js';
import { createPollLoop } from '../poll-loop.js';
import { timeSlices } from '../time-slice.js';
import { type Caller, cutOff, type Outcome } from './attempt.js';
import { type Claimed, type ClaimedRow, claimPingsQuery, claimQuery, lease, renewQuery } from './claim.js';
import { createGate } from './gate.js';
import { compose } from './message.js';
import type { Result } from './settle.js';
import { createSettler } from './settler.js';
import type { HookRow, Target } from './target.js';
import { expire, judge, uncallable } from './verdict.js';

/** Most calls that one process has in flight: so many that hooks that hang cannot fill them, since each has its own cap. */
const maxInFlight = 1000;
/** Most deliveries that one claim takes. */
const maxClaimed = 250;
/** After a claim of this many the loop does not rest. */
const manyClaimed = 16;
/** Most pings that one poll claims. */
const maxPings = 100;
/** Time between two polls without a hint, in milliseconds. */
const pollInterval = 500;
/** Least time between two polls, in milliseconds: hints that come sooner share one. */
const pollSpacing = 10;

/** A claimed delivery and the hook that is called with it. */
interface Call {
  delivery: Claimed;
  target: Target;
}

/** What a poll claimed. */
type Found = 'nothing' | 'few' | 'many';

/** Makes the calls of deliveries: claims what is due, calls, settles. The only part that calls out. */
export interface Dispatcher {
  start(): void;
  /** A hint that something is due (`pings` too). A lost hint costs latency: polling finds what it named. */
  wake(pings?: boolean): void;
  /** Resolves when this process has settled the delivery (true), or after so many milliseconds (false). */
  settled(deliveryId: string, within: number): Promise<boolean>;
  /** Calls in flight. */
  inFlight(): number;
  /** Stops: finishes what is in flight within so many milliseconds, and releases the rest, which is due again at once. */
  close(within: number): Promise<void>;
}

/** Settings of a dispatcher. */
export interface DispatcherOptions {
  /** A small pool of its own, so that nothing else holds up claims and settling. */
  pool: Pick<pg.Pool, 'query'>;
  caller: Caller;
  target: (row: HookRow) => Target;
  /** Waits between attempts, in milliseconds. */
  schedule: readonly number[];
  clock: () => number;
  random: () => number;
  log: Logger;
  /** Told of results once they are written. */
  observe?(results: readonly Result[]): void;
}

/** Makes a dispatcher. Several, each in its own process, share the work of one database without knowing each other. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { pool, caller, target, clock, log, observe } = options;
  /** Claimed and not yet settled: what the leases are renewed for, each with when its lease runs out. */
  const held = new Map<string, { delivery: Claimed; until: number }>();
  const calls = new Set<Promise<void>>();
  const watched = new Map<string, () => void>();
  let more = false;

  const settler = createSettler({
    pool,
    clock,
    log,
    underWay: () => held.size,
    onSettled(results) {
      for (const result of results) {
        held.delete(result.delivery.id);
        watched.get(result.delivery.id)?.();
      }
      observe?.(results);
      // Free slots are there that the last claim could not yet fill.
      if (more) loop.wake();
    },
  });

  const make = async ({ delivery, target: hook }: Call) => {
    await timeSlices.ifOver(delivery.organizationId);
    const at = clock();
    // This process was paused or cut off from the database: another process may be making this call by now.
    if (at >= held.get(delivery.id)!.until) return unmade(delivery, cutOff);
    const [call, request] = compose(hook, delivery, at);
    const outcome = await caller.call(call);
    settler.add(judge(options, { delivery, at, request, redaction: hook.redaction, outcome }));
  };
  const gate = createGate((claimed: Call) => {
    const call = make(claimed).finally(() => calls.delete(call));
    calls.add(call);
    return call;
  });

  /** The hook of a claimed row, ready to be called; nothing where its secrets do not open. */
  const open = (row: HookRow): Target | undefined => {
    try {
      return target(row);
    } catch (error) {
      log.error({ err: error, hook: row.hookId }, 'hook cannot be called');
      return undefined;
    }
  };
  const unmade = (delivery: Claimed, outcome: Outcome) =>
    settler.add(judge(options, { delivery, at: clock(), outcome }));

  const launch = (rows: readonly ClaimedRow[], until: number) => {
    const ready = new Map<string, Target | undefined>();
    for (const row of rows) {
      if (row.url !== null) ready.set(row.hookId, open(row));
      held.set(row.id, { delivery: row, until });
      const hook = ready.get(row.hookId);
      if (row.expired) settler.add(expire(row, clock()));
      else if (hook) gate.admit(row.organizationId, { delivery: row, target: hook });
      else unmade(row, uncallable("This service could not read the hook's stored secrets."));
    }
  };

  const heldByOrganization = () => {
    const counts = new Map<string, number>();
    for (const { delivery } of held.values())
      counts.set(delivery.organizationId, (counts.get(delivery.organizationId) ?? 0) + 1);
    return counts;
  };

  /** One poll: claims what is due, as far as calls are free. A full one claims pings too. */
  const poll = async (full: boolean): Promise<Found> => {
    const now = clock();
    if (full) {
      const claim = { claimId: newId(), limit: maxPings, now };
      launch((await pool.query<ClaimedRow>(named('claim-pings', claimPingsQuery(claim)))).rows, now + lease);
    }
    const limit = Math.min(maxClaimed, maxInFlight - held.size);
    if (limit <= 0) {
      more = true;
      return 'few';
    }
    const shares = { free: maxInFlight - held.size, underWay: heldByOrganization() };
    const query = claimQuery({ claimId: newId(), limit, now, ...shares });
    const { rows } = await pool.query<ClaimedRow>(named('claim', query));
    // Nothing found while calls are under way may mean that every hook with something due has reached its cap.
    if (rows.length > 0 || held.size === 0) more = rows.length === limit || rows.some(({ full }) => full);
    for (const { maxPerSecond } of rows) if (maxPerSecond !== null) wakeIn(1000 / maxPerSecond + 5);
    launch(rows, now + lease);
    // More claims would only wait here; one large claim costs hardly more than a small one.
    await gate.ready();
    if (rows.length === limit) loop.wake();
    return rows.length === 0 ? 'nothing' : rows.length < manyClaimed ? 'few' : 'many';
  };
  const rest = (found: Found, took: number): number => {
    if (found === 'many') return 0;
    // Polls that find nothing take a quarter of the time at most. One slow poll (a process held up, a database away) does not count.
    return found === 'few' || took < pollSpacing ? pollSpacing - took : Math.min(3 * took, pollInterval);
  };
  const loop = createPollLoop({
    poll,
    rest,
    interval: pollInterval,
    onFailure: (error, failures) =>
      failures === 0 && log.error({ err: error }, 'deliveries cannot be claimed; trying again'),
    onRecovery: () => log.info('deliveries are claimed again'),
  });

  /** Polls again when a hook with a rate may be called, which is sooner than the next poll. */
  let nextCall: NodeJS.Timeout | undefined;
  const wakeIn = (milliseconds: number) => {
    nextCall ??= setTimeout(() => {
      nextCall = undefined;
      loop.wake();
    }, milliseconds);
  };

  const renew = async () => {
    if (held.size === 0) return;
    const now = clock();
    try {
      const mine = [...held.values()].map(({ delivery }) => delivery);
      const { rows } = await pool.query<{ id: string }>(named('renew', renewQuery(mine, now)));
      for (const { id } of rows) {
        const one = held.get(id);
        if (one) one.until = now + lease;
      }
    } catch (error) {
      log.warn({ err: error }, 'leases cannot be renewed');
    }
  };
  let renewing: NodeJS.Timeout | undefined;

  return {
    start() {
      loop.start();
      renewing ??= setInterval(() => void renew(), lease / 6);
    },
    wake: loop.wake,
    settled(deliveryId, within) {
      return new Promise((resolve) => {
        const end = (settled: boolean) => {
          clearTimeout(timer);
          watched.delete(deliveryId);
          resolve(settled);
        };
        const timer = setTimeout(() => end(false), within);
        watched.set(deliveryId, () => end(true));
        loop.wake(true);
      });
    },
    inFlight: () => calls.size,
    async close(within) {
      clearTimeout(nextCall);
      await loop.close();
      for (const { delivery } of gate.close()) unmade(delivery, cutOff);
      const cut = setTimeout(() => caller.cut(), within);
      await Promise.all(calls);
      clearTimeout(cut);
      await settler.drain();
      clearInterval(renewing);
      for (const done of watched.values()) done();
      await caller.close();
    },
  };
}
