import type { PoolClient } from 'pg';
import type { AlertCondition } from '#entities/alert-condition.js';
import type { PlainJson } from '#json/json.js';
import type { AlertRecord, QueryAnswers } from './decide.js';
import type { RuleHealth } from './health.js';
import type { Rule, Watch } from './rule.js';

/** Maximum time of all queries of the rules of one transaction together, in milliseconds. */
const totalTimeout = 1000;
/** Maximum time of one query, in milliseconds. */
const queryTimeout = 500;
/** Minimum time left for a query to run, in milliseconds. */
const minTimeout = 20;

/** `ids` are the records that match a query, `open` those for which it could not be answered. */
export interface MatchedRecords {
  ids: ReadonlySet<string>;
  open: ReadonlySet<string>;
  timedOut: boolean;
}

/** Matches a query against records of a transaction. */
export type MatchRecords = (
  tx: PoolClient,
  query: PlainJson,
  records: readonly AlertRecord[],
  limits: { now: number; timeoutMs: number },
) => Promise<MatchedRecords>;

/** The answers to the queries of rules. `late` are the rules whose queries ran out of time, or got none. */
export interface Answered {
  answers: QueryAnswers;
  late: ReadonlySet<string>;
}

/** Whether a condition of a rule is a query. */
export const hasQuery = ({ when, until }: Pick<Rule, 'when' | 'until'>): boolean =>
  when?.query != null || until?.query != null;

/** Returns the conditions of a rule that are queries. */
export const queriesOf = ({ when, until }: Rule): AlertCondition[] =>
  [when, until].filter((condition) => condition?.query != null) as AlertCondition[];

/** Runs the queries of rules, each once for all its devices. Rules whose queries timed out recently come last. */
export async function answerQueries(
  watches: readonly Watch[],
  recordsOf: (watch: Watch) => readonly AlertRecord[],
  { tx, now, match, health }: { tx: PoolClient; now: number; match: MatchRecords; health: RuleHealth },
): Promise<Answered> {
  const known = new Map<AlertCondition, MatchedRecords>();
  const late = new Set<string>();
  const byRule = [...Map.groupBy(watches.filter(hasQuery), ({ ruleId }) => ruleId).values()];
  const end = performance.now() + totalTimeout;
  for (const ofRule of byRule.toSorted(([a], [b]) => a!.timeouts - b!.timeouts)) {
    const rule = ofRule[0]!;
    const records = ofRule.flatMap(recordsOf);
    if (records.length === 0) continue;
    for (const condition of queriesOf(rule)) {
      const timeoutMs = Math.floor(Math.min(queryTimeout, end - performance.now()));
      const found = timeoutMs < minTimeout ? undefined : await match(tx, condition.query!, records, { now, timeoutMs });
      if (found?.timedOut === true) health.timedOut(rule.ruleId);
      if (found === undefined || found.timedOut) {
        late.add(rule.ruleId);
        break;
      }
      known.set(condition, found);
    }
    if (!late.has(rule.ruleId) && rule.timeouts > 0) health.inTime(rule.ruleId);
  }
  return { answers: answersOf(known), late };
}

/** Returns the answers to the queries of conditions; undefined for a record whose types do not fit the query. */
export const answersOf =
  (known: ReadonlyMap<AlertCondition, MatchedRecords>) =>
  (condition: AlertCondition, { id }: { readonly id: string }): boolean | undefined => {
    const found = known.get(condition);
    return found === undefined || found.open.has(id) ? undefined : found.ids.has(id);
  };
