import type { PoolClient } from 'pg';
import type { AlertCondition } from '#entities/alert-condition.js';
import type { PlainJson } from '#json/json.js';
import { type AlertRecord, type Decision, decideSilence, decideThreshold, type QueryAnswers } from './decide.js';
import { storeTransitions, type Transition } from './episode.js';
import type { RuleHealth } from './health.js';
import { type Watch, watchesOf } from './rule.js';
import { lockWatches, noteArrivals, type StoredState, stateKey, statesOf, writeStates } from './state.js';

/** Maximum time of all queries of the rules of one transaction together, in milliseconds. */
const totalTimeout = 1000;
/** Maximum time of one query, in milliseconds. */
const queryTimeout = 500;
/** Minimum time left for a query to run, in milliseconds. */
const minTimeout = 20;

/**
 * Matches a query against records of a transaction. `ids` are the records that match, `open` those for which the query
 * could not be answered.
 */
export type MatchRecords = (
  tx: PoolClient,
  query: PlainJson,
  records: readonly AlertRecord[],
  limits: { now: number; timeoutMs: number },
) => Promise<{ ids: ReadonlySet<string>; open: ReadonlySet<string>; timedOut: boolean }>;

/**
 * Stores the deliveries and e-mail notices of transitions in the caller's transaction. Returns a function to call after
 * the commit, or undefined.
 */
export type Notify = (tx: PoolClient, transitions: readonly Transition[]) => Promise<(() => void) | undefined>;

/** Settings of {@link planDecisions}. */
export interface DecideOptions {
  clock: () => number;
  match: MatchRecords;
  notify: Notify;
  health: RuleHealth;
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
  stored: readonly AlertRecord[],
  { clock, match, notify, health }: DecideOptions,
): Promise<PlannedDecisions | undefined> {
  const byDevice = Map.groupBy(stored, ({ device }) => device.id);
  const deviceIds = [...byDevice.keys()];
  const now = new Date(clock());
  const arrivals = deviceIds.map((deviceId) => ({
    deviceId,
    ts: byDevice.get(deviceId)!.reduce((newest, { ts }) => Math.max(newest, ts), 0),
  }));
  // The statements go out in one packet. Each takes its snapshot once the one before it has its locks.
  const [previous, watches, states] = await Promise.all([
    noteArrivals(tx, arrivals, now),
    watchesOf(tx, deviceIds),
    statesOf(tx, deviceIds),
  ]);
  if (watches.length === 0) return undefined;
  const costly = new Set(watches.filter(hasQuery).map(({ organizationId }) => organizationId));
  const stateOf = new Map(states.map((state) => [stateKey(state), state]));
  const sorted = new Map([...byDevice].map(([id, records]) => [id, inOrder(records)]));
  const decided = (watch: Watch) => recordsFor(sorted.get(watch.deviceId)!, previous.get(watch.deviceId) ?? null);
  return {
    costly,
    async write() {
      const answers = costly.size > 0 ? await answer(tx, watches, decided, { now, match, health }) : noAnswers;
      const decisions = watches
        .map((watch) =>
          decide(watch, stateOf.size === 0 ? undefined : stateOf.get(stateKey(watch)), decided, sorted, answers, now),
        )
        .filter(({ state }) => state !== undefined);
      return decisions.length > 0 ? write(tx, decisions, now, notify) : undefined;
    },
  };
}

function decide(
  watch: Watch,
  before: StoredState | undefined,
  decided: (watch: Watch) => readonly AlertRecord[],
  sorted: ReadonlyMap<string, readonly AlertRecord[]>,
  answers: QueryAnswers,
  now: Date,
): Decision {
  return watch.kind === 'silence'
    ? decideSilence(watch, before, sorted.get(watch.deviceId)!, now)
    : decideThreshold(watch, before, decided(watch), answers, now);
}

async function write(
  tx: PoolClient,
  decisions: readonly Decision[],
  now: Date,
  notify: Notify,
): Promise<(() => void) | undefined> {
  const standing = await lockWatches(
    tx,
    decisions.map(({ watch }) => watch),
  );
  const kept = decisions.filter(({ watch }) => standing.has(stateKey(watch)));
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
  previousTs === null || records[0]!.ts >= previousTs ? records : records.filter(({ ts }) => ts >= previousTs);

const inOrder = (records: readonly AlertRecord[]) =>
  records.length === 1 ? records : records.toSorted((a, b) => a.ts - b.ts);

const hasQuery = ({ when, until }: Watch) => when?.query != null || until?.query != null;

const noAnswers: QueryAnswers = () => undefined;

/** Runs the queries of rules, each once for all its devices. Rules whose queries timed out recently come last. */
async function answer(
  tx: PoolClient,
  watches: readonly Watch[],
  decided: (watch: Watch) => readonly AlertRecord[],
  { now, match, health }: { now: Date; match: MatchRecords; health: RuleHealth },
): Promise<QueryAnswers> {
  const known = new Map<AlertCondition, { ids: ReadonlySet<string>; open: ReadonlySet<string> }>();
  const byRule = [...Map.groupBy(watches.filter(hasQuery), ({ ruleId }) => ruleId).values()];
  const end = performance.now() + totalTimeout;
  for (const ofRule of byRule.toSorted(([a], [b]) => a!.timeouts - b!.timeouts)) {
    const records = ofRule.flatMap(decided);
    if (records.length === 0) continue;
    let late = false;
    for (const part of ['when', 'until'] as const) {
      const query = ofRule[0]![part]?.query;
      if (query == null) continue;
      const timeoutMs = Math.floor(Math.min(queryTimeout, end - performance.now()));
      if (timeoutMs < minTimeout) continue;
      const { ids, open, timedOut } = await match(tx, query, records, { now: now.getTime(), timeoutMs });
      late ||= timedOut;
      for (const watch of ofRule) known.set(watch[part]!, { ids, open });
    }
    if (late) health.timedOut(ofRule[0]!.ruleId);
    else if (ofRule[0]!.timeouts > 0) health.inTime(ofRule[0]!.ruleId);
  }
  return (condition, { id }) => {
    const found = known.get(condition);
    return found === undefined || found.open.has(id) ? undefined : found.ids.has(id);
  };
}
