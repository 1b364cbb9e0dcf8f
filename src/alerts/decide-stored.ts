import type { PoolClient } from 'pg';
import { clockTolerance } from '#scheduling/clock-tolerance.js';
import { orderTime } from '#scheduling/order-time.js';
import { type Answered, answerQueries, hasQuery, type MatchRecords } from './answer-queries.js';
import { type AlertRecord, type Decision, decideSilence, decideThreshold, type StoredAlertRecord } from './decide.js';
import { storeTransitions, type Transition } from './episode.js';
import type { RuleHealth } from './health.js';
import { type Begun, type Watch, watchesOf } from './rule.js';
import { lockWatches, type Noted, noteArrivals, raiseNewest, stateKey, statesOf, writeStates } from './state.js';
import { type Deferred, storeDeferred } from './undecided.js';

/**
 * Stores the deliveries and e-mail notices of transitions in the caller's transaction. Returns a function to call after
 * the commit, or undefined.
 */
export type Notify = (tx: PoolClient, transitions: readonly Transition[]) => Promise<(() => void) | undefined>;

/**
 * Returns the time of the newest stored record of each device, in Unix seconds. Leaves out these records, and those
 * ahead of `now`.
 */
export type NewestBefore = (
  tx: PoolClient,
  deviceIds: readonly string[],
  without: readonly string[],
  now: number,
) => Promise<ReadonlyMap<string, number>>;

export interface DecideOptions {
  clock: () => number;
  match: MatchRecords;
  notify: Notify;
  health: RuleHealth;
  newestBefore: NewestBefore;
}

/** Decisions of rules over the records that a transaction stores. `write` writes them in the same transaction. */
export interface PlannedDecisions {
  /** Organizations whose rules have queries. */
  costly: ReadonlySet<string>;
  /** Decides and writes states, episodes and deliveries. Returns a function to call after the commit, or undefined. */
  write(): Promise<(() => void) | undefined>;
}

/**
 * Notes the arrival of the records that the transaction stores, and plans the decision of rules over them. Returns
 * undefined if no rule watches their devices.
 */
export async function planDecisions(
  tx: PoolClient,
  stored: readonly StoredAlertRecord[],
  { clock, match, notify, health, newestBefore }: DecideOptions,
): Promise<PlannedDecisions | undefined> {
  const now = new Date(clock());
  const records = stored.map((record): AlertRecord => ({ ...record, at: orderTime(record.ts, now.getTime()) }));
  const byDevice = Map.groupBy(records, ({ device }) => device.id);
  const deviceIds = [...byDevice.keys()];
  const arrivals = deviceIds.map((deviceId) => ({
    deviceId,
    ts: byDevice.get(deviceId)!.reduce((newest, { at }) => Math.max(newest, at), 0),
  }));
  // The statements go out in one packet. Each takes its snapshot after the previous statement has its locks.
  const [previous, watches, states] = await Promise.all([
    noteArrivals(tx, arrivals, now),
    watchesOf(tx, deviceIds),
    statesOf(tx, deviceIds),
  ]);
  if (watches.length === 0) return undefined;
  const unnoted = devicesUnnoted(watches, previous);
  if (unnoted.length > 0) {
    const without = unnoted.flatMap((deviceId) => byDevice.get(deviceId)!.map(({ id }) => id));
    const newest = await newestBefore(tx, unnoted, without, now.getTime());
    if (newest.size > 0) await raiseNewest(tx, newest);
    for (const [deviceId, ts] of newest) {
      const noted = previous.get(deviceId);
      if (noted) previous.set(deviceId, { ...noted, ts: Math.max(noted.ts ?? ts, ts) });
    }
  }
  const costly = new Set(watches.filter(hasQuery).map(({ organizationId }) => organizationId));
  const stateOf = new Map(states.map((state) => [stateKey(state), state]));
  const sorted = new Map([...byDevice].map(([id, records]) => [id, inOrder(records)]));
  const decided = (watch: Watch) => recordsFor(sorted.get(watch.deviceId)!, previous.get(watch.deviceId)?.ts ?? null);
  const before = (watch: Watch) => (stateOf.size === 0 ? undefined : stateOf.get(stateKey(watch)));
  return {
    costly,
    async write() {
      // Records of a device that is behind wait behind the earlier ones, so that the rule decides them in order.
      const asked = (watch: Watch) => (before(watch)?.isBehind === true ? [] : decided(watch));
      const answered =
        costly.size > 0 ? await answerQueries(watches, asked, { tx, now: now.getTime(), match, health }) : allAnswered;
      const isLate = (watch: Watch) =>
        hasQuery(watch) && (answered.late.has(watch.ruleId) || before(watch)?.isBehind === true);
      const deferred = watches
        .filter(isLate)
        .map((watch): Deferred => ({ watch, records: decided(watch) }))
        .filter(({ records }) => records.length > 0);
      const decisions = watches
        .filter((watch) => !isLate(watch))
        .map((watch) =>
          watch.kind === 'silence'
            ? decideSilence(watch, before(watch), sorted.get(watch.deviceId)!, now)
            : decideThreshold(watch, before(watch), decided(watch), answered.answers, now),
        )
        .filter(({ state }) => state !== undefined);
      return decisions.length + deferred.length > 0 ? write(tx, { decisions, deferred }, now, notify) : undefined;
    },
  };
}

async function write(
  tx: PoolClient,
  { decisions, deferred }: { decisions: readonly Decision[]; deferred: readonly Deferred[] },
  now: Date,
  notify: Notify,
): Promise<(() => void) | undefined> {
  const standing = await lockWatches(
    tx,
    [...decisions, ...deferred].map(({ watch }) => watch),
  );
  await storeDeferred(
    tx,
    deferred.filter(({ watch }) => standing.has(stateKey(watch))),
    now,
  );
  return writeDecisions(
    tx,
    decisions.filter(({ watch }) => standing.has(stateKey(watch))),
    now,
    notify,
  );
}

/** Writes decisions whose watches the caller has locked. Returns a function to call after the commit, or undefined. */
export async function writeDecisions(
  tx: PoolClient,
  kept: readonly Decision[],
  now: Date,
  notify: Notify,
): Promise<(() => void) | undefined> {
  await storeTransitions(
    tx,
    kept.flatMap(({ transitions }) => transitions),
    now,
  );
  await writeStates(
    tx,
    kept.map(({ state }) => state!),
    now,
  );
  const notified = kept.flatMap((decision) => decision.notified);
  return notified.length > 0 ? notify(tx, notified) : undefined;
}

/**
 * Returns the records of a device, the oldest first. Omits those that are older than the newest record before the
 * transaction.
 */
const recordsFor = (records: readonly AlertRecord[], previousTs: number | null): readonly AlertRecord[] =>
  previousTs === null || records[0]!.at >= previousTs ? records : records.filter(({ at }) => at >= previousTs);

/**
 * Returns the devices whose newest record may be unknown: no record has arrived since a threshold rule or its link
 * began, and before it nothing noted them.
 */
const devicesUnnoted = (watches: readonly Begun[], previous: ReadonlyMap<string, Noted>): string[] => [
  ...new Set(
    watches
      .filter(({ kind, deviceId, begunAt }) => {
        const { arrivedAt } = previous.get(deviceId) ?? { arrivedAt: null };
        return kind === 'threshold' && (arrivedAt === null || arrivedAt <= begunAt + clockTolerance);
      })
      .map(({ deviceId }) => deviceId),
  ),
];

const inOrder = (records: readonly AlertRecord[]) =>
  records.length === 1 ? records : records.toSorted((a, b) => a.at - b.at || a.ts - b.ts);

const allAnswered: Answered = { answers: () => undefined, late: new Set() };
