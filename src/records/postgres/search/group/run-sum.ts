import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { SumPart } from '#records/blocks/sum.js';
import type { UnixRange } from '#records/series-interval.js';
import { numbersOf, powers } from '../blocks/block-cells.js';
import type { VariableFact } from './fact.js';
import type { SumDays } from './sum-day.js';

/** Sums to read beside the records that they do not replace. */
export interface WantedSums extends SumDays {
  readonly organizationId: string;
  /** Products that declare the variable as a number. */
  readonly facts: readonly VariableFact[];
  /** Parts of the sums, beside their number of values. */
  readonly parts: readonly SumPart[];
  /** Whether only runs that never fall may be read from sums, because a fall may be noise or an overflow. */
  readonly risingOnly: boolean;
  /**
   * If given, devices whose meter of this variable was exchanged within the days are read from records: sums of a run
   * contain the step to the first value of the new meter.
   */
  readonly counter?: { readonly variable: string; readonly to: number };
  /** If given, devices that move within this time are read from records: a run could lie at two sites. */
  readonly unmoved?: UnixRange;
}

const allParts: readonly SumPart[] = ['s', 'l', 'h', 'f', 't', 'i'];

/** Alias of the row of `record_block_sum` with a part. */
const alias = (part: SumPart): Sql =>
  ({ n: sql`sn`, s: sql`ss`, l: sql`sl`, h: sql`sh`, f: sql`sf`, t: sql`st`, i: sql`si` })[part as 'n'];

/**
 * Common table expressions of sums by run. `run_sum` has the runs of the devices in `plain`: those with records of one
 * product alone, since runs of two could overlap. `summed` has the days with the slot of the variable, `missing` the
 * blocks of these days without sums, and `fallen` the devices of blocks whose records have to be read.
 *
 * PostgreSQL expects a thousand rows of the empty part of `plain_number`. Otherwise it may expect one device, and compare
 * each run with each of 10,000.
 */
export const sumTables = (wanted: WantedSums): Sql => {
  const { organizationId, facts, days, parts, risingOnly, counter, unmoved } = wanted;
  const read: SumPart[] = ['n', ...parts];
  const products = facts.map(({ productId }) => productId);
  const joins = read.map(
    (part) => sql`
      join record_block_sum ${alias(part)} on ${alias(part)}.block = b.block and ${alias(part)}.col = y.slot and ${alias(part)}.part = ${part}`,
  );
  const arrays = read.map((part) => {
    const a = alias(part);
    return sql`${numbersOf(a, sql`cardinality(b.devices)`)} as ${a}, coalesce(${a}.base, 0)::float8 as ${a}_base, (${powers})[coalesce(${a}.scale, 0) + 1] as ${a}_power`;
  });
  const columns = allParts.map((part) => {
    const a = alias(part);
    return parts.includes(part) ? sql`(u.${a} + x.${a}_base) / x.${a}_power as ${a}` : sql`null::float8 as ${a}`;
  });
  return sql`
  summed as materialized (
    select y.source, y.product_id, to_timestamp(y.day) as day, (to_timestamp(y.day) at time zone 'UTC')::date as date, y.slot, y.alone
      from unnest(${days.map(({ source }) => source)}::int[], ${days.map(({ productId }) => productId)}::uuid[], ${days.map(({ day }) => day)}::float8[],
        ${days.map(({ slot }) => slot)}::int[], ${days.map(({ alone }) => alone)}::boolean[]) y (source, product_id, day, slot, alone)),
  plain as materialized (
    select o.device_id from record_source o join device_of_group d using (device_id)
     where o.organization_id = ${organizationId}::uuid and d.product_id = any(${products}::uuid[])${unmoved ? hasNotMoved(unmoved) : empty}${counter ? isNotExchanged(wanted, counter) : empty}
     group by 1 having count(*) = 1 and bool_and(o.product_id in (select product_id from summed))),
  plain_number as materialized (
    select b.device, p.device_id from plain p join record_block_device b using (device_id)
    union all
    select null, null from generate_series(1, (select 0))),
  run_sum as materialized (
    select r.*${risingOnly ? sql`, si > st - sf + 1e-9 * greatest(abs(st), 1)` : sql`, false`} as has_fallen
      from (
        select d.device_id, u.device, x.block, '1970-01-01Z'::timestamptz + u.t0 * interval '1 microsecond' as ts, u.seq0 as seq,
               ((u.sn + x.sn_base) / x.sn_power)::int8 as n, ${join(columns)}
          from (
            select b.block, b.devices, b.t0, b.seq0, ${join(arrays)}
              from summed y join record_block b on b.source = y.source and b.day = y.date${join(joins, '')} offset 0) x
          cross join lateral unnest(x.devices, x.t0, x.seq0, ${join(read.map((part) => sql`x.${alias(part)}`))})
            u (device, t0, seq0, ${join(read.map(alias))})
          join plain_number d on d.device = u.device
         where u.sn + x.sn_base > 0) r),
  fallen as materialized (select distinct block, device from run_sum where has_fallen),
  missing as materialized (
    select b.block, b.devices, y.day from summed y join record_block b on b.source = y.source and b.day = y.date
     join record_block_column c on c.block = b.block and c.col = y.slot
     where (select count(*) from record_block_sum s where s.block = b.block and s.col = y.slot and s.part = any(${read}::"char"[])) < ${read.length})`;
};

const hasNotMoved = ({ from, to }: UnixRange): Sql => sql`
       and not exists (
         select from device_site m where m.device_id = o.device_id
           and (m.started_at > to_timestamp(${from}::float8) and m.started_at < to_timestamp(${to}::float8)
             or m.ended_at > to_timestamp(${from}::float8) and m.ended_at < to_timestamp(${to}::float8)))`;

const isNotExchanged = (
  { organizationId, days }: WantedSums,
  { variable, to }: NonNullable<WantedSums['counter']>,
): Sql => sql`
       and not exists (
         select from counter_exchange e where e.organization_id = ${organizationId}::uuid and e.variable = ${variable} and e.device_id = o.device_id
            and e.ts >= to_timestamp(${Math.min(...days.map(({ day }) => day))}::float8) and e.ts < to_timestamp(${to}::float8))`;

/** Lateral subquery of the spans in which the records of a device `d` are read from rows. */
export const rowSpans = ({ spans }: Pick<WantedSums, 'spans'>, from: Sql, to: Sql): Sql => {
  const ends = (end: keyof UnixRange) => spans.map((span) => span[end]);
  return sql`
          cross join lateral (
            select to_timestamp(low) as low, to_timestamp(high) as high from unnest(${ends('from')}::float8[], ${ends('to')}::float8[]) h (low, high)
             where d.device_id in (select device_id from plain)
            union all
            select ${from}, ${to} where d.device_id not in (select device_id from plain)) h`;
};

/** Condition that no sum has a row `r` of a device `d`. */
export const notSummed: Sql = sql`
  (d.device_id not in (select device_id from plain)
   or (r.product_id, date_bin('1 day', r.ts, timestamptz '1970-01-01 00:00:00+00')) not in (select product_id, day from summed))`;

/** Selects the sums of runs in a span, as pieces: see `pieceTable`. */
export const summedPieces = (from: Sql, to: Sql): Sql => sql`
    union all
    select device_id, ts, seq, n, ss, sl, sh, sf, st, si from run_sum
     where ts >= ${from} and ts < ${to} and (block, device) not in (select block, device from fallen)`;

/** Common table expression `lead`: the last value of devices before a time, if sums or values have it. */
export const leadTable = (before: Sql): Sql => sql`
  lead as materialized (
    select distinct on (device_id) device_id, ts, seq, v from (
      select device_id, ts, seq, v from value where ts < ${before}
      union all
      select device_id, ts, seq, st from run_sum
       where ts < ${before} and device not in (select unnest(devices) from missing where day < ${before})) x
     order by device_id, ts desc, seq desc)`;
