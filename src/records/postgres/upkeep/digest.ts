import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { squared } from '../squared.js';
import { exactValues } from '../summary.js';
import { type Owner, ownedBy } from './rollup-day.js';

/*
 * Digests of the numbers of a day (tables record_digest and record_digest_total), after Dunning and Ertl's t-digest,
 * which combines neighbours of sorted numbers. At the quantile q, an entry stands for at most the share 0.04 q (1 - q)
 * of all numbers, as in the engines' digests with a compression of 100. So up to a hundred numbers stay exact. The
 * share is a concave function of q, so the error stays below it when digests are concatenated.
 *
 * Beside them are sketches of the different values of a product's numbers and texts, to count these: see
 * `countSketched`.
 */

/** Number of entries for each unit of the logit, log(q / (1 - q)). */
const density = 25;

/** Makes the digests and sketches of some days of an owner. `slots` are those of numbers; `texts` are negative. */
export const makeDigests = async (
  tx: PoolClient,
  owner: Owner & { readonly product_id: string },
  days: readonly string[],
  slots: readonly number[],
  texts: readonly number[],
): Promise<void> => {
  const { organization_id, product_id } = owner;
  const ofDay = sql`from unnest(${days}::timestamptz[]) d (day)
      join record r on ${ownedBy(owner)} and r.ts >= d.day and r.ts < d.day + interval '24 hours'`;
  const measures = sql`n, sum, min, max, sum_squares, digest`;
  await tx.query(sql`
    with value as materialized (
      select d.day, r.device_id, s.slot, r.numbers[s.slot] as v ${ofDay} cross join unnest(${slots}::int[]) s (slot)
      where r.numbers[s.slot] is not null
    ), record_count as materialized (
      select d.day, r.device_id, 0 as slot, count(*) as n ${ofDay} group by 1, 2
    ), sketch as (${sketches(ofDay, texts)}
    ), total as (
      insert into record_digest_total (organization_id, product_id, day, slot, ${measures}, sketch)
      select ${organization_id}, ${product_id}, day, slot, ${measures}, sketch from (
        select day, slot, sum(n) as n, null::float8 as sum, null::float8 as min, null::float8 as max, null::float8 as sum_squares, null::bytea as digest,
          null::bytea as sketch
        from record_count group by day, slot
        union all select day, slot, ${measures}, sketch from (${digestsBy(sql`day, slot`)}) t join (select day, slot, sketch from sketch) s using (day, slot)
        union all select day, slot, n, null, null, null, null, null, sketch from sketch where slot < 0) t
      order by day, slot
    )
    insert into record_digest (organization_id, product_id, device_id, day, slot, ${measures})
    select ${organization_id}, ${product_id}, device_id, day, slot, ${measures} from (
      select day, slot, device_id, n, null::float8 as sum, null::float8 as min, null::float8 as max, null::float8 as sum_squares, null::bytea as digest
      from record_count
      union all select day, slot, device_id, ${measures} from (${digestsBy(sql`day, slot, device_id`)}) t) t
    order by day, slot, device_id`);
};

/**
 * SQL of the sketches of `value` and of texts. Above the exact number of values, it keeps the smallest hash of each
 * register, which has the most leading zeros.
 */
const sketches = (ofDay: Sql, texts: readonly number[]): Sql => sql`
  select day, slot, sum(n)::int8 as n, case when count(*) <= ${exactValues}::int
    then int4send(count(*)::int4) || string_agg(int4send(hash), ''::bytea)
    else int4send(-(count(*) filter (where lowest))::int4) || string_agg(int4send(hash), ''::bytea) filter (where lowest) end as sketch
  from (
    select day, slot, hash, count(*) as n, row_number() over (partition by day, slot, hash >> 18 order by hash) = 1 as lowest
    from (
      select day, slot, hashfloat8(v) as hash from value
      union all
      select d.day, s.slot, hashtext(r.texts[-s.slot]) ${ofDay} cross join unnest(${texts}::int[]) s (slot) where r.texts[-s.slot] is not null) v
    group by day, slot, hash) h
  group by day, slot`;

/** SQL of the digests of `value`, for each combination of some of its columns. */
const digestsBy = (columns: Sql): Sql => sql`
  select ${columns}, sum(w)::int8 as n, sum(sum) as sum, min(low) as min, max(high) as max, sum(squares) as sum_squares,
    case when bool_and(w = 1) then int4send(count(*)::int4) || string_agg(float8send(low), ''::bytea order by low)
      else int4send(-count(*)::int4) || string_agg(
        float8send(mean) || int4send((case when low < high then -w else w end)::int4), ''::bytea order by mean) end as digest
  from (
    -- A quotient too small for a double is refused by PostgreSQL.
    select *, greatest(low, least(high, case when abs(sum) < 1e-290 then low else sum / w end)) as mean from (
      select ${columns}, sum(w) as w, sum(sum) as sum, min(low) as low, max(high) as high, sum(squares) as squares
      from (
        select ${columns}, entry, count(*) as w, sum(v) as sum, min(v) as low, max(v) as high, sum(${squared(sql`v`)}) as squares
        from (
          select ${columns}, v, floor(${density}::float8 * ln((place - 0.5) / (n - place + 0.5))) as entry
          from (
            select ${columns}, v, (row_number() over (partition by ${columns} order by v))::float8 as place,
              (count(*) over (partition by ${columns}))::float8 as n
            from value) placed) v
        group by ${columns}, entry) entry
      -- The same number in several entries is one.
      group by ${columns}, case when low = high then low end, case when low < high then entry end) joined) entry
  group by ${columns}`;
