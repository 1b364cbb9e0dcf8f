import type { Pool } from 'pg';
import sql from 'sql-template-tag';

type Database = Pick<Pool, 'query'>;

/** Time for which a count of stored records is valid, in seconds. */
const holds = 60;

/**
 * Measures the stored records of one organization that has a quota of stored bytes and whose last measurement is too
 * old. Returns false if there is no such organization. The size is estimated from the average of all records that the
 * organization ever stored, because the size of deleted records is not measured.
 */
export const measureStorage = async (
  database: Database,
  now: Date,
  countAll: (organizationId: string) => Promise<number>,
): Promise<boolean> => {
  await database.query(
    sql`insert into storage (organization_id) select organization_id from quota where stored_bytes is not null on conflict do nothing`,
  );
  const { rows } = await database.query<{ id: string; records: number; bytes: number }>(sql`
    with chosen as (
      update storage set measured_at = ${now} where organization_id = (
        select s.organization_id from storage s join quota q using (organization_id)
         where q.stored_bytes is not null and s.measured_at < ${now}::timestamptz - make_interval(secs => ${holds})
         order by s.measured_at limit 1 for update of s skip locked)
      returning organization_id
    )
    select c.organization_id as id, coalesce(sum(u.records), 0)::float8 as records, coalesce(sum(u.bytes), 0)::float8 as bytes
      from chosen c left join lateral (
        select d.records, d.bytes from usage_day d
         where d.organization_id = c.organization_id and d.product_id is null and d.application_id is null
        union all
        select p.records, p.bytes from usage_delta p where p.organization_id = c.organization_id) u on true
     group by 1`);
  const [found] = rows;
  if (found === undefined) return false;
  const records = await countAll(found.id);
  const bytes = found.records === 0 ? 0 : Math.round((records * found.bytes) / found.records);
  await database.query(sql`
    update storage set records = ${records}, bytes = ${bytes}, total_bytes = ${found.bytes} where organization_id = ${found.id}`);
  return true;
};
