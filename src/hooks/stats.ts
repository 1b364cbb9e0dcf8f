import sql, { type Sql } from 'sql-template-tag';

/** Number of deliveries from which a hook's figures are computed: the last ones that ended. */
const sample = 1000;
/** Maximum number of waiting deliveries that are counted. */
const countUpTo = 10_000;

/** Query of a hook's figures. Each part reads a bounded number of rows. */
export const statsQuery = (hookId: Sql | string): Sql => sql`
  with latest as materialized (
    select state, (attempts -> -1 -> 'duration' ->> 'total')::double precision took, attempts -> -1 attempt from delivery
     where done and hook_id = ${hookId} and event = 'record' order by id desc limit ${sample}
  ),
  tried as materialized (
    select attempts -> -1 attempt from delivery_open
     where hook_id = ${hookId} and event = 'record' and attempts_made > 0 limit ${countUpTo}
  ),
  last as (
    select attempt from (select attempt from latest union all select attempt from tried) a
     where attempt is not null order by (attempt ->> 'at')::timestamptz desc limit 1
  )
  select (select count(*)::int from (
            select from delivery_open where hook_id = ${hookId} and event = 'record' limit ${countUpTo}) p)
           - l.running as pending,
         l.running,
         (select count(*)::int from tried) as retrying,
         (select count(*) filter (where state = 'succeeded') from latest)::double precision
           / nullif((select count(*) from latest) + (select count(*) from tried), 0) as "successRate",
         (select (attempt ->> 'at')::timestamptz from last) as "lastAttemptAt",
         (select (attempt ->> 'statusCode')::int from last) as "lastStatusCode",
         (select nullif(attempt -> 'error', 'null') from last) as "lastError",
         (select percentile_cont(0.5) within group (order by took) from latest) as p50,
         (select percentile_cont(0.95) within group (order by took) from latest) as p95,
         s.last_failure_at as "lastFailureAt"
    from hook_state s cross join lateral (
      select count(*)::int running from delivery_lease where hook_id = s.hook_id and not ping) l
   where s.hook_id = ${hookId}`;
