import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { named } from '#database/named.js';

/**
 * Retention of closed episodes after their last change, in milliseconds: a year and a month, so that a season can be
 * compared with the one before.
 */
const keptFor = 400 * 86_400_000;

/** Maximum number of episodes that one transaction deletes. */
const atOnce = 500;

/**
 * SQL condition: an episode has expired.
 * @param now milliseconds since 1970
 */
export const isExpired = (now: number): Sql =>
  sql`exists (select from episode where closed_at is not null and updated_at < ${new Date(now - keptFor)})`;

/**
 * Deletes a batch of expired episodes.
 * @param now milliseconds since 1970
 */
export const expireEpisodes = (tx: pg.PoolClient, now: number) =>
  tx.query(
    named(
      'alert expire',
      sql`
    delete from episode where id in (
      select id from episode where closed_at is not null and updated_at < ${new Date(now - keptFor)}
       order by updated_at limit ${atOnce}
         for update skip locked)`,
    ),
  );
