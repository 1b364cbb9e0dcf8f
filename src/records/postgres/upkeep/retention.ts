import sql, { type Sql } from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { retireBlocks } from '../blocks/delete-blocks.js';
import { weekOf } from '../week.js';
import { noteBlocks, noteDays } from './rollup-day.js';
import { noteSummaries } from './summary.js';

/** Result of the retention. */
export interface Retired {
  records: number;
  partitions: number;
}

/** Expired records of an organization: of one product, or of all products without a retention of their own. */
export interface RetentionTarget {
  organization_id: string;
  product_id: string | null;
  /** Records measured before this time have expired, ISO 8601. */
  before: string;
}

/** Maximum number of rows that one statement deletes. */
const batchSize = 5000;

/**
 * Drops the partitions whose records have all expired, deletes expired records from the others in batches, and drops
 * those that become empty. `stopped` is checked between batches.
 */
export const retire = async (pool: Queryable, now: Date, stopped: () => boolean): Promise<Retired> => {
  const retired: Retired = { records: 0, partitions: 0 };
  const { none, all } = await horizons(pool, now);
  if (all !== null) retired.partitions += await drop(pool, all, false);
  for (const target of await targets(pool, now)) {
    for (let deleted = batchSize; deleted === batchSize && !stopped(); retired.records += deleted)
      deleted = await deleteBatch(pool, target);
    if (!stopped()) await retireRollups(pool, target);
  }
  if (none !== null) retired.partitions += await drop(pool, none, true);
  return retired;
};

/**
 * Returns two times: before `none`, the records of some organization have expired; before `all`, those of every
 * organization. Null if no organization, or not every one, has a retention.
 */
export const horizons = async (pool: Queryable, now: Date): Promise<{ none: string | null; all: string | null }> => {
  const { rows } = await pool.query<{ none: string | null; all: string | null }>(sql`
    select ${now}::timestamptz - min(keep) as none,
      case when bool_and(keep is not null) and not exists (
        select from account a where type = 'organization' and not exists (
          select from record_retention r where r.organization_id = a.id and r.product_id is null))
      then ${now}::timestamptz - max(keep) end as all
    from record_retention`);
  return rows[0] ?? { none: null, all: null };
};

const drop = async (pool: Queryable, before: string, onlyEmpty: boolean): Promise<number> => {
  const { rows } = await pool.query<{ dropped: number }>(
    sql`select record_retire(${before}::timestamptz, ${onlyEmpty}) as dropped`,
  );
  return rows[0]?.dropped ?? 0;
};

export const targets = async (pool: Queryable, now: Date): Promise<RetentionTarget[]> => {
  const { rows } = await pool.query<RetentionTarget>(sql`
    select organization_id, product_id, ${now}::timestamptz - keep as before
    from record_retention where keep is not null`);
  return rows;
};

/**
 * Selects the records of a retention. A product's own retention replaces that of its organization, longer or shorter.
 */
const belongs = ({ organization_id, product_id }: RetentionTarget): Sql =>
  product_id === null
    ? sql`organization_id = ${organization_id} and (product_id is null or product_id not in (
        select product_id from record_retention where organization_id = ${organization_id} and product_id is not null))`
    : sql`organization_id = ${organization_id} and product_id = ${product_id}`;

const deleteBatch = async (pool: Queryable, target: RetentionTarget): Promise<number> => {
  const { rowCount } = await pool.query(sql`
    delete from record r
    using (select id, ts from record where ${belongs(target)} and ts < ${target.before}::timestamptz limit ${batchSize}) past
    where r.id = past.id and r.ts = past.ts`);
  return rowCount ?? 0;
};

/**
 * Deletes the rollups of expired hours. The hour that contains the limit keeps some of its records, so its rollup is
 * made again, with its day's and its week's. Blocks of expired days are deleted too.
 */
const retireRollups = async (pool: Queryable, target: RetentionTarget): Promise<void> => {
  const limit = sql`date_trunc('hour', ${target.before}::timestamptz)`;
  // The day that contains the limit is made again, even if none of its hours is deleted yet.
  const ofDays = sql`${belongs(target)} and day <= ${limit}`;
  const cutDays = sql`select organization_id, product_id, hour from cut union select organization_id, product_id, day from`;
  await pool.query(sql`
    with totals as (
      delete from record_total where ${belongs(target)} and hour <= ${limit}
      returning organization_id, product_id, hour
    ), days as (
      delete from record_day where ${ofDays} returning organization_id, product_id, day
    ), counted as (
      delete from record_value where ${ofDays}
    ), added as (
      delete from record_value_total where ${ofDays}
    ), digests as (
      delete from record_digest where ${ofDays}
    ), digest_totals as (
      delete from record_digest_total where ${ofDays}
    ), weeks as (
      delete from record_digest_week where ${belongs(target)} and week <= ${limit}
    ), of_week as (
      update record_summary set in_week = false
      where ${belongs(target)} and in_week and day > ${limit} and day < ${weekOf(limit)} + interval '168 hours'
    ), summaries as (
      delete from record_summary where ${ofDays} returning organization_id, product_id, day
    ), by_device as (
      delete from record_rollup where ${belongs(target)} and hour <= ${limit}
      returning organization_id, product_id, hour
    ), cut as (
      select organization_id, product_id, hour from totals union select organization_id, product_id, hour from by_device
    ), noted as (${noteDays(sql`${cutDays} days`)}
    ), noted_blocks as (${noteBlocks(sql`${cutDays} days`)}
    ), noted_summaries as (${noteSummaries(sql`${cutDays} summaries`)})
    insert into record_dirty (organization_id, product_id, hour)
    select distinct organization_id, product_id, hour from cut where hour = ${limit}`);
  await retireBlocks(pool, belongs(target), sql`${target.before}::timestamptz`);
};
