import type pg from 'pg';
import type { Logger } from 'pino';
import sql from 'sql-template-tag';
import { transaction } from '#database/transaction.js';

/** Number of consecutive timeouts of its query after which a rule is switched off. */
const maxTimeouts = 5;
/** Timeouts closer together than this count as one, in milliseconds: a short disturbance is not the query's fault. */
const minSpacing = 2000;

/** Counts the timeouts of queries of rules. The commit of records calls it, so its methods neither wait nor throw. */
export interface RuleHealth {
  /** Counts a timeout of a query. */
  timedOut(ruleId: string): void;
  /** Resets the timeouts of a rule whose query was answered again. */
  inTime(ruleId: string): void;
  /** Switches a rule off that has too many records left to decide. */
  overwhelmed(ruleId: string): void;
  /** Resolves when all counts are written. */
  close(): Promise<void>;
}

export interface RuleHealthOptions {
  /** A pool that the storing of records does not use. */
  pool: pg.Pool;
  clock: () => number;
  log: Logger;
  count(event: 'timeout' | 'disabled'): void;
}

/** Creates the counts over a pool. */
export function createRuleHealth({ pool, clock, log, count }: RuleHealthOptions): RuleHealth {
  const writing = new Set<Promise<void>>();
  const write = (work: () => Promise<void>) => {
    const done = work()
      .catch((error: unknown) => log.warn({ err: error }, 'Timeout of an alert rule not counted'))
      .finally(() => writing.delete(done));
    writing.add(done);
  };
  return {
    timedOut(ruleId) {
      count('timeout');
      write(async () => {
        const isOff = await transaction(pool, (tx) => noteTimeout(tx, ruleId, new Date(clock())));
        if (!isOff) return;
        count('disabled');
        log.warn({ ruleId }, 'Alert rule disabled: its query timed out repeatedly');
      });
    },
    inTime(ruleId) {
      write(async () => {
        await pool.query(sql`update alert_rule set timeouts = 0 where id = ${ruleId} and timeouts > 0`);
      });
    },
    overwhelmed(ruleId) {
      write(async () => {
        await transaction(pool, (tx) => switchOff(tx, ruleId, new Date(clock())));
        count('disabled');
        log.warn({ ruleId }, 'Alert rule disabled: too many records wait for its query');
      });
    },
    async close() {
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}

/** Counts a timeout. Returns whether it switched the rule off, which closes its episodes. */
async function noteTimeout(tx: pg.PoolClient, ruleId: string, now: Date): Promise<boolean> {
  const { rows } = await tx.query<{ timeouts: number }>(sql`
    update alert_rule set timeouts = timeouts + 1, timed_out_at = ${now}
     where id = ${ruleId} and not disabled
       and (timed_out_at is null or timed_out_at <= ${new Date(now.getTime() - minSpacing)} or timed_out_at > ${now})
    returning timeouts`);
  if ((rows[0]?.timeouts ?? 0) < maxTimeouts) return false;
  await switchOff(tx, ruleId, now);
  return true;
}

/** Switches a rule off, which closes its episodes. */
async function switchOff(tx: pg.PoolClient, ruleId: string, now: Date): Promise<void> {
  await tx.query(sql`
    update alert_rule set disabled = true, disabled_at = ${now}, disabled_reason = 'timeout', timeouts = 0,
           version = version + 1
     where id = ${ruleId}`);
  await tx.query(sql`delete from alert_state where rule_id = ${ruleId}`);
}
