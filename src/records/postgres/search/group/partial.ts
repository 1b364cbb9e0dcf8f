import sql, { empty, type Sql } from 'sql-template-tag';
import { type DeviceReduction, GroupFill } from '#entities/group-series.js';
import type { GroupPlan } from '#records/answer/group-plan.js';
import type { GroupCall } from '#records/group-series.js';
import { stepTables } from './counter.js';
import type { VariableFacts } from './fact.js';
import { summedPieces } from './run-sum.js';
import { isSited, unitOf } from './stay.js';

/** Inputs of the numbers of devices. */
export interface PartialOptions {
  call: GroupCall;
  plan: GroupPlan;
  /**
   * Common table expressions of the values of the devices between two times, as `value`: `device_id`, `ts`, `seq`, `v`.
   * With `timeInState`, `v` is 1 in the state and 0 in another.
   */
  valuesOf: (from: Sql, to: Sql) => Sql;
  /** Common table expression of the last value before a time of each device of `value`, as `latest` with these columns. */
  latestBefore: (from: Sql, to: Sql) => Sql;
  /** Whether `run_sum` has sums of some runs, whose values `value` does not have. */
  hasSums: boolean;
  /** Time from which values are read: that of the range or, for the last values before it, an earlier one. */
  valuesFrom: number;
  /** Declarations of the variable. */
  facts: VariableFacts;
}

const time = (seconds: number): Sql => sql`to_timestamp(${seconds}::float8)`;

/**
 * Common table expressions that reduce the values of each device, as `partial`: the `unit`, which
 * is a device or, with sites, a row of `stay`, the index of the bucket
 * (`b`), how many values it has (`n`), the device's number (`v`), and whether it is filled or bridges a gap.
 */
export const partialTables = (options: PartialOptions): Sql => {
  const { call, plan } = options;
  const numbers = tablesOf[call.perDevice](options);
  const tables = sql`${bucketTable(plan)}, ${numbers}`;
  return call.fill === GroupFill.previous
    ? sql`${tables}, ${filledTable(call, plan)}`
    : sql`${tables}, partial as (select unit, b, n, v, false as filled, bridged from reduced)`;
};

/** The buckets: their index `b` from 0, start, end, the part of them that is in the range, and the bucket before. */
const bucketTable = ({ starts, before, since, to }: GroupPlan): Sql => sql`
  bucket as materialized (
    select b, start, coalesce(lead(start) over w, 'infinity') as until, coalesce(lag(start) over w, ${time(before)}) as before,
           greatest(start, ${time(since)}) as low, least(coalesce(lead(start) over w, 'infinity'), ${time(to)}) as high
      from (select (i - 1)::int as b, to_timestamp(s) as start from unnest(${starts}::float8[]) with ordinality u (s, i)) s
    window w as (order by start)),
  edge as materialized (
    select array_agg(start order by b) as starts, array_agg(before order by b) as befores,
           array_agg(extract(epoch from high - low)::float8 order by b) as lengths from bucket)`;

/** Index of the bucket of a time. */
const bucketOf = (moment: Sql): Sql => sql`width_bucket(${moment}, (select starts from edge)) - 1`;

type Tables = (options: PartialOptions) => Sql;

/**
 * Common table expressions of `piece`: values, and sums of successive values of a device. `n` is their number, `s` the
 * sum, `l` the lowest, `h` the highest, `f` the first, `t` the last, `i` the increase from the first to the last. Pieces
 * of a device follow one another.
 */
const pieceTables = (options: PartialOptions): Sql => {
  const { plan, hasSums, valuesOf, valuesFrom } = options;
  const [since, to] = [time(plan.since), time(plan.to)];
  return sql`${valuesOf(time(valuesFrom), to)},
  piece as (
    select device_id, ts, seq, 1::int8 as n, v as s, v as l, v as h, v as f, v as t, 0::float8 as i from value${
      valuesFrom < plan.since ? sql` where ts >= ${since}` : empty
    }${hasSums ? summedPieces(since, to) : empty})`;
};

/** Reduces the values of each bucket alone. */
const ofBucket =
  (reduce: Sql): Tables =>
  (options) => {
    const { unit, join } = unitOf(options.call);
    return sql`${pieceTables(options)},
  reduced as materialized (
    select ${unit} as unit, ${bucketOf(sql`p.ts`)} as b, sum(p.n) as n, ${reduce} as v, false as bridged from piece p${join} group by 1, 2)`;
  };

/** Adds up the steps of counters. A step belongs to the bucket in which it ends. */
const ofSteps =
  (isRate: boolean): Tables =>
  (options) => {
    const { call, plan, latestBefore, facts } = options;
    const [since, to] = [time(plan.since), time(plan.to)];
    const { unit, join } = unitOf(call);
    return sql`${pieceTables(options)}, ${latestBefore(since, to)}, ${stepTables(call, facts, since, to)},
  reduced as materialized (
    select unit, b, sum(n) as n, sum(increase)${isRate ? sql` / (select lengths from edge)[b + 1]` : empty} as v,
           coalesce(bool_or(since < (select befores from edge)[b + 1]), false) as bridged
      from (select ${unit} as unit, ${bucketOf(sql`p.ts`)} as b, p.n, p.increase, p.since from step p${join} offset 0) p group by unit, b)`;
  };

/** Adds up the seconds of a state. A value lasts until the next one of the device, and at most `maxAge`. */
const ofStates: Tables = ({ call, plan, valuesOf }) => {
  const since = time(plan.since);
  const cut = isSited(call)
    ? sql`
      select w.unit, p.v, p.n, greatest(p.since, w.started_at) as since, least(p.until, w.ended_at) as until
        from lasting p join stay w on w.device_id = p.device_id and w.started_at < p.until and w.ended_at > p.since`
    : sql`select device_id as unit, v, n, since, until from lasting`;
  return sql`${valuesOf(time(plan.since - call.maxAge), time(plan.to))},
  lasting as (
    select device_id, v, greatest(ts, ${since}) as since, (ts >= ${since})::int as n,
           least(ts + make_interval(secs => ${call.maxAge}), ${time(plan.reach)}, lead(ts) over (partition by device_id order by ts, seq)) as until
      from value),
  reduced as materialized (
    select p.unit, k.b, sum(case when k.low <= p.since then p.n else 0 end) as n,
           sum(p.v * extract(epoch from least(p.until, k.high) - greatest(p.since, k.low))::float8) as v, false as bridged
      from (${cut}) p join bucket k on k.low < p.until and k.high > p.since
     where p.since < p.until group by 1, 2)`;
};

const tablesOf: Readonly<Record<DeviceReduction, Tables>> = {
  avg: ofBucket(sql`sum(p.s) / sum(p.n)::float8`),
  min: ofBucket(sql`min(p.l)`),
  max: ofBucket(sql`max(p.h)`),
  last: ofBucket(sql`(array_agg(p.t order by p.ts desc, p.seq desc))[1]`),
  sum: ofBucket(sql`sum(p.s)`),
  count: ofBucket(sql`sum(p.n)::float8`),
  increase: ofSteps(false),
  rate: ofSteps(true),
  timeInState: ofStates,
};

/** Adds the buckets in which a device keeps the number of an earlier one, while it stays where it was. */
const filledTable = (call: GroupCall, { first, reach }: GroupPlan): Sql => {
  const stays = isSited(call)
    ? sql`
     where e.b = k.b or exists (
       select from stay w join bucket o on o.b = e.b where w.unit = k.unit and w.started_at < o.high and w.ended_at > o.low)`
    : empty;
  return sql`
  kept as (
    select r.*, least(
        coalesce(lead(r.b) over (partition by r.unit order by r.b), 2147483647),
        ${bucketOf(sql`k.start + make_interval(secs => ${call.maxAge})`)} + 1,
        ${bucketOf(time(reach))} + 1) as until
      from reduced r join bucket k on k.b = r.b),
  partial as (
    select unit, e.b, case when e.b = k.b then n else 0 end as n, v, e.b > k.b as filled, bridged and e.b = k.b as bridged
      from kept k cross join lateral generate_series(greatest(k.b, ${first}::int), greatest(k.until, k.b + 1) - 1) e (b)${stays})`;
};
