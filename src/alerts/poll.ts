import type pg from 'pg';
import sql, { join, type Sql } from 'sql-template-tag';
import { dayMs } from '#common/time.js';
import { namedStatement } from '#database/named-statement.js';
import { transaction } from '#database/transaction.js';
import { isUndecided } from './catch-up.js';
import { decideDue, isDue } from './decide-due.js';
import type { Notify } from './decide-stored.js';
import { beat, maxPause } from './outage.js';
import type { Drained, Outbox } from './outbox.js';

export interface PollOptions {
  pool: pg.Pool;
  clock: () => number;
  notify: Notify;
  outboxes: readonly Outbox[];
  /** Called when rules have records to decide later. */
  onUndecided(): void;
}

/**
 * Minimum age of the heartbeat before it is written again, in milliseconds, so that only one of several processes
 * writes it.
 */
const minBeatAge = 1000;

/** Result of {@link look}: the kinds of work that wait. */
interface Found {
  /** Whether a process wrote the heartbeat within {@link maxPause}. */
  isAlive: boolean;
  isDue: boolean;
  isExpired: boolean;
  isWaiting: boolean;
  isUndecided: boolean;
}

/**
 * Polls once: notes that this process takes records, opens and closes episodes that are due by the clock, expires old
 * episodes and drains the outboxes. If nothing is to be done, this takes one statement.
 */
export async function poll({ pool, clock, notify, outboxes, onUndecided }: PollOptions): Promise<void> {
  const found = await look(pool, clock(), outboxes);
  if (found.isUndecided) onUndecided();
  // This comes before any decision: a silence must not count the outage that this notes.
  if (!found.isAlive) await transaction(pool, (tx) => beat(tx, new Date(clock())));
  if (found.isDue) await repeat(pool, (tx) => decideDue(tx, new Date(clock()), notify));
  if (found.isExpired) await transaction(pool, (tx) => expireEpisodes(tx, clock()));
  if (!found.isWaiting) return;
  for (const outbox of outboxes) await repeat(pool, (tx) => outbox.drain(tx));
}

/**
 * Finds the kinds of work that wait. Writes the heartbeat too, unless the last one is so old that the caller must note
 * an outage first.
 */
async function look(pool: pg.Pool, now: number, outboxes: readonly Outbox[]): Promise<Found> {
  const before = (age: number) => new Date(now - age);
  const isWaiting = join(
    outboxes.map((outbox) => outbox.isWaiting),
    ' or ',
  );
  const query = sql`
    with beaten as (
      update alert_heartbeat set at = ${before(0)} where at >= ${before(maxPause)} and at <= ${before(minBeatAge)})
    select exists (select from alert_heartbeat where at >= ${before(maxPause)}) "isAlive", ${isDue(before(0))} "isDue",
           ${isExpired(now)} "isExpired", ${isWaiting} "isWaiting", ${isUndecided} "isUndecided"`;
  const { rows } = await pool.query<Found>(namedStatement('alert poll', query));
  return rows[0]!;
}

/** Repeats a transaction until it handles nothing more. */
async function repeat(pool: pg.Pool, work: (tx: pg.PoolClient) => Promise<Drained>): Promise<void> {
  for (;;) {
    const { count, after } = await transaction(pool, work);
    after?.();
    if (count === 0) return;
  }
}

/**
 * Retention of closed episodes after their last change, in milliseconds: a year and a month, so that a season can be
 * compared with the one before.
 */
const keptFor = 400 * dayMs;

/** Maximum number of episodes that one transaction deletes. */
const atOnce = 500;

/**
 * SQL condition: an episode has expired.
 * @param now milliseconds since 1970
 */
const isExpired = (now: number): Sql =>
  sql`exists (select from episode where closed_at is not null and updated_at < ${new Date(now - keptFor)})`;

/**
 * Deletes a batch of expired episodes.
 * @param now milliseconds since 1970
 */
const expireEpisodes = (tx: pg.PoolClient, now: number) =>
  tx.query(
    namedStatement(
      'alert expire',
      sql`
    delete from episode where id in (
      select id from episode where closed_at is not null and updated_at < ${new Date(now - keptFor)}
       order by updated_at limit ${atOnce}
         for update skip locked)`,
    ),
  );
