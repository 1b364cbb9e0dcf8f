import type pg from 'pg';
import sql from 'sql-template-tag';
import { namedStatement } from '#database/named-statement.js';
import { transaction } from '#database/transaction.js';
import type { AlertCondition } from '#entities/alert-condition.js';
import type { PlainJson } from '#json/json.js';
import { clockTolerance } from '#scheduling/clock-tolerance.js';
import { orderTime } from '#scheduling/order-time.js';
import { answersOf, type MatchedRecords, queriesOf } from './answer-queries.js';
import { type AlertRecord, decideThreshold, type QueryAnswers } from './decide.js';
import { type Notify, writeDecisions } from './decide-stored.js';
import type { RuleHealth } from './health.js';
import { type Rule, ruleColumns, type Watch } from './rule.js';
import { lockWatches, stateKey, statesOf } from './state.js';

/** Maximum number of records that one step decides. */
const atOnce = 500;
/** Maximum number of undecided records of a rule, by default. A rule with more is switched off. */
export const defaultMaxUndecided = 100_000;
/** Maximum time of one query, in milliseconds. No call waits for it. */
const queryTimeout = 1000;
/** Time for which a step has a rule to itself, and the wait after a timeout, in milliseconds. */
const lease = 30_000;
const pause = 2000;

/** SQL condition: records wait for the query of a rule. */
export const isUndecided = sql`exists (select from alert_undecided)`;

/** Matches a query against committed records. */
export type MatchCommitted = (
  query: PlainJson,
  records: readonly AlertRecord[],
  timeoutMs: number,
) => Promise<MatchedRecords>;

export interface CatchUpOptions {
  pool: pg.Pool;
  clock: () => number;
  matchCommitted: MatchCommitted;
  notify: Notify;
  health: RuleHealth;
  /** Maximum number of undecided records of a rule. A rule with more is switched off. */
  maxUndecided: number;
}

/** A stored record that waits. */
interface Waiting {
  number: string;
  record: AlertRecord;
}

/**
 * Decides records for which the query of a rule got no answer when they were stored, the oldest first. Claims one rule
 * after the other until none is due. Organizations take turns, so that one with many slow rules delays no other. The
 * records of a disabled organization wait until it is enabled.
 */
export async function catchUp(options: CatchUpOptions): Promise<void> {
  const { pool, clock } = options;
  /** The organizations that had a turn, the last one at the end. */
  let served: string[] = [];
  for (;;) {
    const claimed = await claim(pool, clock(), served);
    if (claimed === undefined) return;
    const { ruleId, organizationId } = claimed;
    served = [...served.filter((id) => id !== organizationId), organizationId];
    const isLate = await decideSome(options, ruleId);
    await pool.query(
      sql`update alert_backlog set due_at = ${new Date(clock() + (isLate ? pause : 0))} where rule_id = ${ruleId}`,
    );
  }
}

/** Claims a rule that has undecided records. A time beyond every lease is that of a clock that was ahead. */
async function claim(
  pool: pg.Pool,
  now: number,
  served: readonly string[],
): Promise<{ ruleId: string; organizationId: string } | undefined> {
  const isDue = sql`(b.due_at <= ${new Date(now)} or b.due_at > ${new Date(now + lease + clockTolerance)})`;
  const query = sql`
    with next as (
      select b.rule_id, r.organization_id from alert_backlog b join alert_rule r on r.id = b.rule_id
        join account o on o.id = r.organization_id and not o.disabled
       where ${isDue} and exists (select from alert_undecided u where u.rule_id = b.rule_id)
       order by array_position(${served}::uuid[], r.organization_id) nulls first, b.due_at limit 1)
    update alert_backlog b set due_at = ${new Date(now + lease)} from next
     where b.rule_id = next.rule_id and ${isDue}
    returning b.rule_id "ruleId", next.organization_id "organizationId"`;
  return (await pool.query<{ ruleId: string; organizationId: string }>(namedStatement('alert backlog claim', query)))
    .rows[0];
}

/** Decides the oldest undecided records of a rule. Returns whether its query ran out of time. */
async function decideSome(options: CatchUpOptions, ruleId: string): Promise<boolean> {
  const { pool, clock, matchCommitted, health, maxUndecided } = options;
  const found = await pool.query<Rule>(sql`select ${ruleColumns} from alert_rule r where r.id = ${ruleId}`);
  const [rule] = found.rows;
  const waiting = rule === undefined ? [] : await waitingOf(pool, rule);
  if (rule === undefined || waiting.length === 0) return false;
  if (waiting.length >= Math.min(atOnce, maxUndecided + 1) && (await isOverwhelmed(pool, ruleId, maxUndecided))) {
    health.overwhelmed(ruleId);
    return true;
  }
  const known = new Map<AlertCondition, MatchedRecords>();
  for (const condition of queriesOf(rule)) {
    const records = waiting.map(({ record }) => record);
    const matched = await matchCommitted(condition.query!, records, queryTimeout);
    if (matched.timedOut) {
      health.timedOut(ruleId);
      return true;
    }
    known.set(condition, matched);
  }
  const now = new Date(clock());
  const after = await transaction(pool, (tx) => write(tx, rule, { waiting, answers: answersOf(known), now }, options));
  after?.();
  return false;
}

async function waitingOf(pool: pg.Pool, { ruleId, organizationId }: Rule): Promise<Waiting[]> {
  const { rows } = await pool.query<{
    number: string;
    id: string;
    ts: number;
    deviceId: string;
    productId: string | null;
    data: AlertRecord['data'];
    notedAt: number;
  }>(sql`
    select number::text, record_id id, extract(epoch from ts)::float8 ts, device_id "deviceId", product_id "productId", data,
           extract(epoch from noted_at)::float8 * 1000 "notedAt"
      from alert_undecided u where rule_id = ${ruleId} order by u.number limit ${atOnce}`);
  return rows.map(({ number, id, ts, data, deviceId, productId, notedAt }) => {
    const device = { id: deviceId, organizationId, ...(productId !== null && { product: { id: productId } }) };
    return { number, record: { id, ts, at: orderTime(ts, notedAt), data, device } };
  });
}

const isOverwhelmed = async (pool: pg.Pool, ruleId: string, maxUndecided: number): Promise<boolean> =>
  (await pool.query(sql`select from alert_undecided where rule_id = ${ruleId} offset ${maxUndecided} limit 1`))
    .rowCount === 1;

/**
 * Writes decisions, and deletes the records that they are about. The locks come in the order of storing records:
 * devices, links, rules, states. A record that another process has decided meanwhile is gone, and left out. Where the
 * organization has been disabled meanwhile, all its records go on waiting.
 */
async function write(
  tx: pg.PoolClient,
  rule: Rule,
  { waiting, answers, now }: { waiting: readonly Waiting[]; answers: QueryAnswers; now: Date },
  { notify }: CatchUpOptions,
): Promise<(() => void) | undefined> {
  const byDevice = Map.groupBy(waiting, ({ record }) => record.device.id);
  const deviceIds = [...byDevice.keys()];
  await tx.query(sql`
    select from alert_device where device_id = any(${deviceIds}::uuid[]) order by device_id for update`);
  const watches = deviceIds.map((deviceId): Watch => ({ ...rule, deviceId }));
  const standing = await lockWatches(tx, watches);
  await tx.query(sql`
    select from alert_state where rule_id = ${rule.ruleId} and device_id = any(${deviceIds}::uuid[])
     order by device_id for update`);
  const { rows } = await tx.query<{ number: string }>(sql`
    delete from alert_undecided where rule_id = ${rule.ruleId} and device_id = any(${deviceIds}::uuid[])
       and number = any(${waiting.map(({ number }) => number)}::bigint[])
       and exists (select from account where id = ${rule.organizationId} and not disabled)
    returning number::text`);
  const left = new Set(rows.map(({ number }) => number));
  const states = new Map((await statesOf(tx, deviceIds)).map((state) => [stateKey(state), state]));
  const decisions = watches
    .filter((watch) => standing.has(stateKey(watch)))
    .map((watch) => {
      const records = byDevice.get(watch.deviceId)!.filter(({ number }) => left.has(number));
      const known = records.map(({ record }) => record);
      return decideThreshold(watch, states.get(stateKey(watch)), known, answers, now);
    })
    .filter(({ state }) => state !== undefined);
  return decisions.length > 0 ? writeDecisions(tx, decisions, now, notify) : undefined;
}
