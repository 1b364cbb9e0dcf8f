import sql, { type Sql } from 'sql-template-tag';
import type { GroupPlan } from '#records/answer/group-plan.js';
import type { GroupCall } from '#records/group-series.js';
import type { QueryReader } from '#records/scope/snapshot-reader.js';
import type { VariableFacts } from '../fact.js';
import { latestOf, valueTables } from '../value.js';
import type { TilePlan } from './tile.js';
import { allMembers, unitTable } from './unit.js';

/** A call, and what its devices are read from. */
export interface FleetCall {
  readonly call: GroupCall;
  readonly plan: GroupPlan;
  readonly facts: VariableFacts;
  /** Whether some days of the range, or before it if values of these are wanted, are in blocks alone. */
  readonly isAlone: boolean;
}

/** Values and exchanges of devices that no tile has, as columns in order of time. */
export interface Values {
  readonly length: number;
  /** Numbers of the devices. */
  readonly devices: Int32Array;
  /** Unix seconds. */
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** 1 for an exchange of the meter. */
  readonly isExchange: Uint8Array;
}

/** Maximum number of values that are read beside tiles: 21 bytes each. */
const mostValues = 2_000_000;

const time = (seconds: number): Sql => sql`to_timestamp(${seconds}::float8)`;

/** Common table expressions of the devices whose values are read, as `device_of_group`. */
const devicesOf = ({ call, plan, facts }: FleetCall, tiles: TilePlan, which: Sql): Sql => sql`
  ${allMembers(call)}, ${unitTable(call, facts.numeric, tiles, plan)},
  device_of_group as materialized (select device_id, product_id from unit where ${which})`;

/** Reads the values that no tile has: those of some devices, and of all devices in some spans. Undefined if there are too many. */
export const readOthers = async (
  reader: QueryReader,
  fleet: FleetCall,
  tiles: TilePlan,
  withExchanges: boolean,
): Promise<Values | undefined> => {
  const { call, plan, facts, isAlone } = fleet;
  const { days, spans, valuesFrom } = tiles;
  const which = spans.length > 0 ? sql`true` : sql`not is_tiled`;
  const tables = sql`
  summed as materialized (
    select y.source, y.product_id, to_timestamp(y.day) as day, (to_timestamp(y.day) at time zone 'UTC')::date as date, y.slot, y.alone
      from unnest(${days.map(({ source }) => source)}::int[], ${days.map(({ productId }) => productId)}::uuid[], ${days.map(({ day }) => day)}::float8[],
        ${days.map(({ slot }) => slot)}::int[], ${days.map(({ alone }) => alone)}::boolean[]) y (source, product_id, day, slot, alone)),
  plain as materialized (select device_id from unit where is_tiled),
  plain_number as materialized (select number as device, device_id from unit where is_tiled),
  fallen as materialized (select null::int as block, null::int as device where false),
  missing as materialized (select null::int as block where false)`;
  const { organizationId, variable } = call;
  const [from, to] = [time(valuesFrom), time(plan.to)];
  const wanted = { organizationId, variable, facts, isAlone, from, to, sums: { spans, tables } };
  const events = withExchanges
    ? sql`
      union all
      select device_id, ts, true, 0, value from counter_exchange
       where organization_id = ${organizationId}::uuid and variable = ${variable} and ts >= ${from} and ts < ${to}`
    : sql``;
  const found = new ValueColumns();
  await reader.batches(
    sql`
    with ${devicesOf(fleet, tiles, which)}, ${valueTables(wanted)}
    select u.number, extract(epoch from e.ts)::float8, e.v, e.is_exchange
      from (select device_id, ts, false as is_exchange, seq, v from value${events}) e (device_id, ts, is_exchange, seq, v) join unit u using (device_id)
     order by e.ts, e.is_exchange desc, e.seq limit ${mostValues + 1}`,
    (rows) => {
      for (const row of rows) found.add(row as [number, number, number, boolean]);
    },
  );
  return found.length > mostValues ? undefined : found;
};

class ValueColumns implements Values {
  length = 0;
  devices = new Int32Array(1024);
  times = new Float64Array(1024);
  values = new Float64Array(1024);
  isExchange = new Uint8Array(1024);

  add([device, ts, v, isExchange]: [number, number, number, boolean]): void {
    const at = this.length++;
    if (at >= this.devices.length) this.grow();
    this.devices[at] = device;
    this.times[at] = ts;
    this.values[at] = v;
    this.isExchange[at] = Number(isExchange);
  }

  private grow(): void {
    const { devices, times, values, isExchange } = this;
    const length = devices.length * 2;
    (this.devices = new Int32Array(length)).set(devices);
    (this.times = new Float64Array(length)).set(times);
    (this.values = new Float64Array(length)).set(values);
    (this.isExchange = new Uint8Array(length)).set(isExchange);
  }
}

/** Stands for no values. */
export const noValues: Values = new ValueColumns();

/** The value at which a counter stood before the range. */
export type Reached = [device: number, ts: number, v: number];

/** Reads the last value before the range of some devices, or the exchange after it. */
export const readLatest = async (
  reader: QueryReader,
  fleet: FleetCall,
  tiles: TilePlan,
  numbers: readonly number[],
): Promise<Reached[]> => {
  const { call, plan, facts, isAlone } = fleet;
  const { organizationId, variable } = call;
  const since = time(plan.since);
  const wanted = { organizationId, variable, facts, isAlone, from: since, to: time(plan.to) };
  const devices = devicesOf(fleet, tiles, sql`number = any(${numbers}::int[])`);
  return (await reader.tuples(sql`
    with ${devices}, ${latestOf(wanted, sql`select device_id from device_of_group`, sql`latest`)}
    select distinct on (e.device_id) u.number, extract(epoch from e.ts)::float8, e.v
      from (
        select device_id, ts, 0 as place, v from latest
        union all
        select device_id, ts, -1, value from counter_exchange
         where organization_id = ${organizationId}::uuid and variable = ${variable} and ts < ${since}) e
      join unit u using (device_id) where u.number = any(${numbers}::int[])
     order by e.device_id, e.ts desc, e.place desc`)) as Reached[];
};
