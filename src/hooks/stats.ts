import sql, { type Sql } from 'sql-template-tag';

/** How many deliveries that ended the figures of a hook are taken from: the latest. */
const sample = 1000;
/** What waits is counted up to this number. */
const countUpTo = 10_000;

/** The figures of a hook; each part touches a bounded number of rows, however much there is. */
export const statsQuery = (hookId: Sql | string): Sql => sql`
  with latest as materialized (
    select state, (attempts -> -1 -> 'duration' ->> 'total')::double precision took from delivery
     where done and hook_id = ${hookId} and event = 'record' order by id desc limit ${sample}
  )
  select (select count(*)::int from (
            select from delivery where not done and hook_id = ${hookId} and state = 'pending' and event = 'record'
             limit ${countUpTo}) p) as pending,
         (select count(*)::int from delivery where not done and hook_id = ${hookId} and state = 'running') as running,
         (select avg((state = 'succeeded')::int)::double precision from latest) as "successRate",
         (select percentile_cont(0.5) within group (order by took) from latest) as p50,
         (select percentile_cont(0.95) within group (order by took) from latest) as p95,
         s.last_failure_at as "lastFailureAt"
    from hook_state s where s.hook_id = ${hookId}`;
