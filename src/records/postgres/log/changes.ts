import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { named } from '#database/named.js';
import { currentSnapshot, unseen, wholeXid } from '#database/visibility.js';
import { firstId } from '#entities/id.js';
import type { ChangesQuestion, CommittedRecord } from '#records/record-log.js';

/**
 * Connections of {@link readChanges}: `quick` for the few statements that all subscribers share, `slow` for statements
 * that may be slow.
 */
export interface ChangesConnections {
  quick: Pool;
  slow: Pool;
}

/**
 * Creates the function that reads records that one snapshot did not see, each once, in the order of their identifiers.
 */
export const readChanges =
  ({ quick, slow }: ChangesConnections) =>
  async (question: ChangesQuestion): Promise<CommittedRecord[]> => {
    const pool = question.slow ? slow : quick;
    return (await pool.query<CommittedRecord>(named('live-records', changesQuery(question)))).rows;
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
