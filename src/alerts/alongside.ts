import type { PoolClient } from 'pg';
import type { AlertCondition } from '../entities/alert-condition.js';
import type { PlainJson } from '../json.js';
import { type AlertRecord, type Decision, decideSilence, decideThreshold, type QueryAnswers } from './decide.js';
import { type Turn, writeTurns } from './episode.js';
import type { RuleHealth } from './health.js';
import { type Watch, watchesOf } from './rule.js';
import { hear, lockWatches, type StoredState, stateKey, statesOf, writeStates } from './state.js';

/** All queries of the rules of one transaction may take this long together, one of them this long. Milliseconds. */
const totalTimeout = 1000;
const queryTimeout = 500;
/** With less than this left no query is asked. */
const minTimeout = 20;

/** Of records that a transaction has stored, those that a query matches, and those for which it is not answered. */
export type MatchRecords = (
  tx: PoolClient,
  query: PlainJson,
  records: readonly AlertRecord[],
  limits: { now: number; timeoutMs: number },
) => Promise<{ ids: ReadonlySet<string>; open: ReadonlySet<string>; timedOut: boolean }>;

/** Stores the deliveries of openings and closings in the transaction. Returns what is to be called after its commit. */
export type TellTurns = (tx: PoolClient, turns: readonly Turn[]) => Promise<(() => void) | undefined>;

/** What {@link decideAlongside} works with. */
export interface AlongsideOptions {
  clock: () => number;
  match: MatchRecords;
  tell: TellTurns;
  health: RuleHealth;
}

/** Called before slow work begins, with the organizations whose rules have queries; what it throws ends the transaction. */
export type OnCostly = (organizations: ReadonlySet<string>, slow: ReadonlySet<string>) => void;

/** Decides the rules of devices over records that the transaction stores, and stores what follows in the same transaction. */
export async function decideAlongside(
  tx: PoolClient,
  stored: readonly AlertRecord[],
  { clock, match, tell, health }: AlongsideOptions,
  onCostly?: OnCostly,
): Promise<(() => void) | undefined> {
  const byDevice = Map.groupBy(stored, ({ device }) => device.id);
  const deviceIds = [...byDevice.keys()];
  const now = new Date(clock());
  const heard = deviceIds.map((deviceId) => ({
    deviceId,
    ts: byDevice.get(deviceId)!.reduce((newest, { ts }) => Math.max(newest, ts), 0),
  }));
  // One packet: each statement sees what was committed until the one before it had its locks.
  const [previous, watches, states] = await Promise.all([
    hear(tx, heard, now),
    watchesOf(tx, deviceIds),
    statesOf(tx, deviceIds),
  ]);
  if (watches.length === 0) return undefined;
  const costly = new Set(watches.filter(hasQuery).map(({ organizationId }) => organizationId));
  if (costly.size > 0) onCostly?.(costly, new Set());
  const stateOf = new Map(states.map((state) => [stateKey(state), state]));
  const sorted = new Map([...byDevice].map(([id, records]) => [id, inOrder(records)]));
  const judged = (watch: Watch) => recordsFor(sorted.get(watch.deviceId)!, previous.get(watch.deviceId) ?? null);
  const answers = costly.size > 0 ? await answer(tx, watches, judged, { now, match, health }) : noAnswers;
  const decisions = watches
    .map((watch) =>
      decide(watch, stateOf.size === 0 ? undefined : stateOf.get(stateKey(watch)), judged, sorted, answers, now),
    )
    .filter(({ state }) => state !== undefined);
  return decisions.length > 0 ? write(tx, decisions, now, tell) : undefined;
}

function decide(
  watch: Watch,
  before: StoredState | undefined,
  judged: (watch: Watch) => readonly AlertRecord[],
  sorted: ReadonlyMap<string, readonly AlertRecord[]>,
  answers: QueryAnswers,
  now: Date,
): Decision {
  return watch.kind === 'silence'
    ? decideSilence(watch, before, sorted.get(watch.deviceId)!, now)
    : decideThreshold(watch, before, judged(watch), answers, now);
}

async function write(
  tx: PoolClient,
  decisions: readonly Decision[],
  now: Date,
  tell: TellTurns,
): Promise<(() => void) | undefined> {
  const standing = await lockWatches(
    tx,
    decisions.map(({ watch }) => watch),
  );
  const kept = decisions.filter(({ watch }) => standing.has(stateKey(watch)));
  const turns = kept.flatMap((decision) => decision.turns);
  await writeTurns(tx, turns, now);
  await writeStates(
    tx,
    kept.map(({ state }) => state!),
    now,
  );
  const told = kept.flatMap((decision) => decision.told);
  return told.length > 0 ? tell(tx, told) : undefined;
}

/** A record that is older than the state has no effect. */
const recordsFor = (records: readonly AlertRecord[], previousTs: number | null): readonly AlertRecord[] =>
  previousTs === null || records[0]!.ts >= previousTs ? records : records.filter(({ ts }) => ts >= previousTs);

const inOrder = (records: readonly AlertRecord[]) =>
  records.length === 1 ? records : records.toSorted((a, b) => a.ts - b.ts);

const hasQuery = ({ when, until }: Watch) => when?.query != null || until?.query != null;

const noAnswers: QueryAnswers = () => undefined;

/** Asks the queries of rules, each once for all its devices, those first that kept to their time before. */
async function answer(
  tx: PoolClient,
  watches: readonly Watch[],
  judged: (watch: Watch) => readonly AlertRecord[],
  { now, match, health }: { now: Date; match: MatchRecords; health: RuleHealth },
): Promise<QueryAnswers> {
  const known = new Map<AlertCondition, { ids: ReadonlySet<string>; open: ReadonlySet<string> }>();
  const byRule = [...Map.groupBy(watches.filter(hasQuery), ({ ruleId }) => ruleId).values()];
  const end = performance.now() + totalTimeout;
  for (const ofRule of byRule.toSorted(([a], [b]) => a!.timeouts - b!.timeouts)) {
    const records = ofRule.flatMap(judged);
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
