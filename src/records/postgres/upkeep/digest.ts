import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { dayMs } from '#common/time.js';
import { squared } from '../squared.js';
import { exactValues } from '../summary.js';
import { type Owner, ownedBy, timeWithin } from './rollup-day.js';

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

/** Days of one organization's product whose digests are made. */
export interface DigestedDays {
  readonly owner: Owner & { readonly product_id: string };
  readonly days: readonly string[];
  /** Days that also get digests by device. */
  readonly apart: readonly string[];
  /** Slots of numbers. */
  readonly numbers: readonly number[];
  /** Slots of texts, negative. */
  readonly texts: readonly number[];
}

const measures = sql`n, sum, min, max, sum_squares, digest`;

/** A row without measures of a number: the count of records, or of texts. */
const onlyCounted = sql`null::float8 as sum, null::float8 as min, null::float8 as max, null::float8 as sum_squares, null::bytea as digest`;

const recordsOf = (owner: Owner, days: readonly string[]): Sql => sql`
      from unnest(${days}::timestamptz[]) d (day)
      join record r on ${ownedBy(owner)} and r.ts >= d.day and r.ts < d.day + interval '24 hours'
        and ${timeWithin(sql`r.ts`, days, dayMs)}`;

/** Makes the digests and sketches of some days. */
export const makeDigests = async (tx: PoolClient, made: DigestedDays): Promise<void> => {
  await makeTotals(tx, made);
  if (made.apart.length > 0) await makeByDevice(tx, made);
};

const makeTotals = async (tx: PoolClient, { owner, days, numbers, texts }: DigestedDays): Promise<void> => {
  const { organization_id, product_id } = owner;
  const ofDay = recordsOf(owner, days);
  await tx.query(sql`
    with value as materialized (
      select d.day, s.slot, r.numbers[s.slot] as v, count(*) as n
      ${ofDay} cross join unnest(${numbers}::int[]) s (slot)
      where r.numbers[s.slot] is not null group by 1, 2, 3
    ), sketch as (${sketches(ofDay, texts)}
    )
    insert into record_digest_total (organization_id, product_id, day, slot, ${measures}, sketch)
    select ${organization_id}, ${product_id}, day, slot, ${measures}, sketch from (
      select d.day, 0 as slot, count(*) as n, ${onlyCounted}, null::bytea as sketch ${ofDay} group by 1
      union all select day, slot, ${measures}, sketch from (${digestsBy(sql`day, slot`)}) t join (select day, slot, sketch from sketch) s using (day, slot)
      union all select day, slot, n, ${onlyCounted}, sketch from sketch where slot < 0) t
    order by day, slot`);
};

const makeByDevice = async (tx: PoolClient, { owner, apart, numbers }: DigestedDays): Promise<void> => {
  const { organization_id, product_id } = owner;
  const ofDay = recordsOf(owner, apart);
  await tx.query(sql`
    with value as materialized (
      select d.day, r.device_id, s.slot, r.numbers[s.slot] as v, count(*) as n
      ${ofDay} cross join unnest(${numbers}::int[]) s (slot)
      where r.numbers[s.slot] is not null group by 1, 2, 3, 4
    )
    insert into record_digest (organization_id, product_id, device_id, day, slot, ${measures})
    select ${organization_id}, ${product_id}, device_id, day, slot, ${measures} from (
      select d.day, 0 as slot, r.device_id, count(*) as n, ${onlyCounted} ${ofDay} group by 1, 3
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
    select day, slot, hash, sum(n) as n, row_number() over (partition by day, slot, hash >> 18 order by hash) = 1 as lowest
    from (
      select day, slot, hashfloat8(v) as hash, n from value
      union all
      select d.day, s.slot, hashtext(r.texts[-s.slot]), count(*)
      ${ofDay} cross join unnest(${texts}::int[]) s (slot) where r.texts[-s.slot] is not null group by 1, 2, 3) v
    group by day, slot, hash) h
  group by day, slot`;

/**
 * SQL of the digests of `value`, for each combination of some of its columns. A value whose records lie in several
 * entries is an entry of its own, which is exact.
 */
const digestsBy = (columns: Sql): Sql => sql`
  select ${columns}, sum(w)::int8 as n, sum(sum) as sum, min(low) as min, max(high) as max, sum(squares) as sum_squares,
    case when bool_and(w = 1) then int4send(count(*)::int4) || string_agg(float8send(low), ''::bytea order by low)
      else int4send(-count(*)::int4) || string_agg(
        float8send(mean) || int4send((case when low < high then -w else w end)::int4), ''::bytea order by mean) end as digest
  from (
    -- A quotient too small for a double is refused by PostgreSQL.
    select *, greatest(low, least(high, case when abs(sum) < 1e-290 then low else sum / w end)) as mean from (
      select ${columns}, sum(n)::int8 as w, sum(v * n) as sum, min(v) as low, max(v) as high, sum(${squared(sql`v`)} * n) as squares
      from (
        select *, ${entryOf(sql`before + 1`)} as first_entry, ${entryOf(sql`before + n`)} as last_entry
        from (
          select ${columns}, v, n::float8 as n, sum(n::float8) over (partition by ${columns}) as of_all,
            sum(n::float8) over (partition by ${columns} order by v) - n as before
          from value) counted) placed
      group by ${columns}, case when first_entry = last_entry then first_entry end, case when first_entry < last_entry then v end) entry) entry
  group by ${columns}`;

/** SQL of the entry of a number that has a place, from 1, among all. */
const entryOf = (place: Sql): Sql =>
  sql`floor(${density}::float8 * ln((${place} - 0.5) / (of_all - (${place}) + 0.5)))`;
