import type pg from 'pg';
import { Counter, Gauge, type Registry } from 'prom-client';
import sql from 'sql-template-tag';
import type { Outcome } from './settle.js';

/** Maximum number of rows that a scrape counts, so that its cost does not grow with them. */
const countUpTo = 10_000;

/** Registers the metrics of e-mail. */
export function createMailMetrics(registry: Registry, pool: pg.Pool): { count(outcome: Outcome): void } {
  const registers = [registry];
  const mails = new Counter({
    name: 'ddp_alert_mails_total',
    help: 'E-mails of alert rules by outcome: sent, failed (to be tried again), stopped (the address was refused), dropped.',
    labelNames: ['outcome'],
    registers,
  });
  new Gauge({
    name: 'ddp_alert_notices_waiting',
    help: `Notices that wait for an e-mail, counted up to ${countUpTo} rows.`,
    // Every worker reads the same number from the database.
    aggregator: 'max',
    registers,
    async collect() {
      const { rows } = await pool.query<{ waiting: number }>(sql`
        select coalesce(sum(count), 0)::float8 waiting from (select count from alert_mail limit ${countUpTo}) m`);
      this.set(rows[0]!.waiting);
    },
  });
  return {
    count(outcome) {
      if (outcome !== 'stale') mails.inc({ outcome });
    },
  };
}
