import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import sql, { type Sql } from 'sql-template-tag';
import { namedStatement } from '#database/named-statement.js';
import { currentSnapshot, unseen, wholeXid } from '#database/visibility.js';
import { firstId } from '#entities/id.js';
import type { ChangesQuestion, CommittedRecord, RecordLog, StoredRecords } from '#records/record-log.js';
import { clockTolerance } from '#scheduling/clock-tolerance.js';
import { newestAt } from '../newest-field.js';
import { decideRecords, decideStored, matchRecords, matchStored } from '../search/match.js';
import type { Purge } from '../upkeep/purge.js';
import { createUpkeep, type UpkeepOptions } from '../upkeep/upkeep.js';
import { ActivityCounter } from './activity.js';
import { redecode } from './redecode.js';
import { countOrganization, countRecords, scanRecords } from './scan.js';
import { createRecordStore, type RecordStoreOptions } from './store.js';

export interface RecordLogOptions extends Omit<RecordStoreOptions, 'pool' | 'activity'> {
  /** For transactions that store records; at least eight connections. */
  storePool: Pool;
  /** For transactions of organizations whose hooks make them long. */
  slowStorePool?: Pool;
  /** For the upkeep. */
  pool: Pool;
  log: Logger;
  /** Called before a call is accepted; throws to refuse it. */
  admit?(): void;
  /** Deletes a device's records that are kept elsewhere too. */
  purge?: Purge;
  /** Copies records that other processes still store elsewhere. */
  follow?: () => Promise<unknown>;
  /** Computes noted records again, where they are kept elsewhere. */
  recompute?: UpkeepOptions['recompute'];
  /** Makes blocks of finished days. */
  blocks?: UpkeepOptions['blocks'];
}

/** Connections over which stored records are read outside of the caller's transaction. */
export interface StoredRecordsOptions {
  /** For counting stored records. */
  pool: Pool;
  /** For queries over committed records. */
  queryPool: Pool;
  /** For reading committed records. */
  changes: ChangesConnections;
  clock: () => number;
}

/** Opens the records that PostgreSQL stores. */
export const openStoredRecords = ({ pool, queryPool, changes, clock }: StoredRecordsOptions): StoredRecords => ({
  match: matchRecords,
  matchCommitted: (queries, records, timeoutMs) =>
    matchStored(queryPool, queries, records, { now: clock(), timeoutMs }),
  decide: decideRecords,
  decideCommitted: (queries, records, timeoutMs) =>
    decideStored(queryPool, queries, records, { now: clock(), timeoutMs }),
  newestBefore,
  scan: scanRecords,
  count: countRecords,
  countAll: (organizationId) => countOrganization(pool, organizationId),
  redecode,
  changes: readChanges(changes),
});

/** Creates the record log over PostgreSQL: the record store and its upkeep. */
export const createRecordLog = ({
  storePool,
  slowStorePool = storePool,
  pool,
  log,
  admit,
  purge,
  follow,
  recompute,
  blocks,
  ...options
}: RecordLogOptions): RecordLog => {
  const { clock } = options;
  const activity = new ActivityCounter();
  const store = createRecordStore({ pool: storePool, slowPool: slowStorePool, activity, ...options });
  const upkeep = createUpkeep({ pool, clock, log, activity, purge, follow, recompute, blocks });
  return {
    async append(call) {
      admit?.();
      return store.store(call);
    },
    maintain: () => upkeep.start(),
    async close() {
      await Promise.all([store.close(), upkeep.close()]);
      await activity.flush(pool).catch((error: unknown) => log.warn({ err: error }, 'Last counts of ingestion lost'));
    },
  };
};

/**
 * Connections of {@link readChanges}: `quick` for the few statements that all subscribers share, `slow` for statements
 * that may be slow.
 */
interface ChangesConnections {
  quick: Pool;
  slow: Pool;
}

/**
 * Creates the function that reads records that one snapshot did not see, each once, in the order of their identifiers.
 */
const readChanges =
  ({ quick, slow }: ChangesConnections) =>
  async (question: ChangesQuestion): Promise<CommittedRecord[]> => {
    const pool = question.slow ? slow : quick;
    return (await pool.query<CommittedRecord>(namedStatement('live-records', changesQuery(question)))).rows;
  };

/** Builds the query. Records of a device that is not linked to an application any more are not even read. */
const changesQuery = (question: ChangesQuestion): Sql => {
  const { ranges, applicationIds, organizationIds, after, limit, maxBytes, maxTotalBytes } = question;
  const xid = wholeXid(sql`r.xmin`);
  const fits = sql`f.size < ${maxBytes}::int
    and sum(f.size) over (partition by f."organizationId" order by f.id desc) < ${maxTotalBytes}::int`;
  return sql`
    select f.id, f.xid, f."organizationId", f."deviceId", f."productId", f.ts, f.applications,
           case when ${fits} then f.metadata::text end as metadata, case when ${fits} then f.data::text end as data,
           case when ${fits} then f.frame::text end as frame
      from ${currentSnapshot} cross join lateral (
      select r.id, ${xid}::text as xid, r.organization_id as "organizationId", r.device_id as "deviceId",
             r.product_id as "productId", extract(epoch from r.ts)::float8 as ts, r.metadata, r.data, r.frame,
             pg_column_size(r.metadata) + pg_column_size(r.data) + coalesce(pg_column_size(r.frame), 0) as size,
             l.applications
        from unnest(${ranges.map(({ low }) => low)}::uuid[], ${ranges.map(({ high }) => high)}::uuid[]) g (low, high)
        join record r on r.id between g.low and g.high
       cross join lateral (
         select array_agg(ad.application_id::text) as applications from application_device ad
          where ad.device_id = r.device_id and ad.application_id = any(${applicationIds}::uuid[])) l
       where r.organization_id = any(${organizationIds}::uuid[]) and l.applications is not null
         and r.id > ${after ?? firstId(0)}::uuid
         and ${unseen(xid, question)}
       order by r.id limit ${limit}::int) f order by f.id`;
};

/**
 * Returns the order time of the newest stored record of each device, in Unix seconds (see `orderTime`). Leaves out these
 * records, and those that lie ahead of `now` (milliseconds since 1970).
 */
async function newestBefore(
  tx: PoolClient,
  deviceIds: readonly string[],
  without: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const others = sql` and ts <= ${new Date(now + clockTolerance)} and not (id = any(${without}::uuid[]))`;
  const query = sql`
    select w.id, extract(epoch from r.at)::float8 ts
      from unnest(${deviceIds}::uuid[]) w (id) cross join lateral (${newestAt(sql`w.id`, others)}) r`;
  const { rows } = await tx.query<{ id: string; ts: number }>(namedStatement('newest before', query));
  return new Map(rows.map(({ id, ts }) => [id, ts]));
}
