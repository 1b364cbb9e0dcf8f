import sql, { type Sql } from 'sql-template-tag';
import { hourOf } from '#records/postgres/day.js';
import type { UnixRange } from '#records/series-interval.js';

const time = (seconds: number): Sql => sql`to_timestamp(${seconds}::float8)`;

/**
 * Common table expressions: the hours of the products of `slot` that are read from the records (`unrolled`), because
 * their rollups are stale or there are none by device, and the spans of adjacent hours (`span`).
 */
export const unrolledTables = (organizationId: string, { from, to }: UnixRange): Sql => {
  const ofProducts = sql`organization_id = ${organizationId}::uuid and product_id in (select product_id from slot)
       and hour >= ${time(from)} and hour < ${time(to)}`;
  return sql`unrolled as materialized (
    select product_id, hour from record_dirty where ${ofProducts}
    union
    select product_id, hour from record_total where ${ofProducts} and not apart),
  span as materialized (
    select min(hour) as start, max(hour) + interval '1 hour' as until
      from (select hour, hour - row_number() over (order by hour) * interval '1 hour' as island
              from (select distinct hour from unrolled) h) h
     group by island)`;
};

/** Condition that a record `r` lies in a span `h`. */
export const inSpan: Sql = sql`r.ts >= h.start and r.ts < h.until`;

/** Condition, after another one, that the hour of a record `r` is read from the records. */
export const isUnrolled: Sql = sql`and (r.product_id, ${hourOf(sql`r.ts`)}) in (select product_id, hour from unrolled)`;

/** Condition that a run `b` of a block has such hours. */
export const isUnrolledDay: Sql = sql`where (b.product_id, b.day) in (select product_id, (hour at time zone 'UTC')::date from unrolled)`;
