import sql, { empty, type Sql } from 'sql-template-tag';
import type { GroupCall } from '#records/group-series.js';
import type { VariableFact, VariableFacts } from './fact.js';

/**
 * Common table expressions of the steps of counters, as `step`: `device_id`, `ts`, the `increase`, and when the step
 * began (`since`). `piece` has the values of the range, and sums of some, `latest` the last value of each device before it.
 *
 * A step begins at `high`: the value before or, within the jitter of the counter, the highest one since. A declared
 * exchange is a value that has no step of its own: the next step begins there.
 */
export const stepTables = (
  { organizationId, variable }: Pick<GroupCall, 'organizationId' | 'variable'>,
  { numeric }: VariableFacts,
  from: Sql,
  to: Sql,
): Sql => {
  const isNoisy = numeric.some(({ jitter, rollsOverAt }) => (jitter ?? 0) > 0 || rollsOverAt !== null);
  const [jitter, rolls] = isNoisy ? [sql`c.jitter`, sql`c.rolls`] : [sql`0::float8`, sql`null::float8`];
  const hasJitter = numeric.some(({ jitter }) => jitter !== null && jitter > 0);
  const settings = sql`${jitter} as jitter, ${rolls} as rolls, ${
    hasJitter ? sql`counter_high(e.f, e.t, ${jitter}, e.is_value) over w` : sql`e.t`
  }`;
  return sql`
  exchange as materialized (
    select device_id, ts, value as v from counter_exchange
     where organization_id = ${organizationId}::uuid and variable = ${variable} and ts < ${to}
       and device_id in (select device_id from device_of_group)),
  ${isNoisy ? counterTable(numeric) : empty}event as (
    select device_id, ts, true as is_value, seq, n, f, t, i from piece
    union all
    select device_id, ts, true, seq, 0, v, v, 0 from latest
    union all
    select device_id, ts, false, 0, 0, v, v, 0 from exchange e
     where not exists (select from latest l where l.device_id = e.device_id and l.ts >= e.ts)${isNoisy ? thousandExpected : empty}),
  reached as (
    select e.*, ${settings} as reached
      from event e${isNoisy ? sql` join counter c using (device_id)` : empty}${hasJitter ? sameWindow : empty}),
  ended as (
    select *, lag(reached) over w as high, lag(ts) over w as since from reached${sameWindow}),
  step as (
    select device_id, ts, since, n, ${increase} as increase from ended where is_value and ts >= ${from})`;
};

/** An empty part. PostgreSQL expects a thousand rows of it, and then joins events and settings by a hash. */
const thousandExpected = sql`
    union all
    select null, null, true, 0, 0, 0, 0, 0 from generate_series(1, (select 0))`;

const sameWindow = sql` window w as (partition by device_id order by ts, is_value, seq)`;

/** Common table expression of the settings of each device's product. */
const counterTable = (facts: readonly VariableFact[]): Sql => sql`counter as materialized (
    select device_id, coalesce(${ofProduct(facts, 'jitter')}, 0) as jitter, ${ofProduct(facts, 'rollsOverAt')} as rolls from device_of_group),
  `;

/** Setting of a device's product. */
const ofProduct = (facts: readonly VariableFact[], setting: 'jitter' | 'rollsOverAt'): Sql =>
  sql`(${facts.map((fact) => fact[setting])}::float8[])[array_position(${facts.map(({ productId }) => productId)}::uuid[], product_id)]`;

/**
 * A fall is noise within the jitter, an overflow where that is less than the fall, and otherwise a reset to zero. `i`
 * comes after the step to the first value; of runs that fall, it is right only without jitter and overflows.
 */
const increase = sql`case
      when high is null then i
      when f >= high then f - high + i
      when high - f <= jitter then greatest(t - high, 0)
      when high <= rolls and rolls - high + f < high - f then rolls - high + f + i
      else f + i end`;
