import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { Pair } from '#records/answer/series-answer.js';
import { fieldsAlone, runsAlone, valuesAlone } from '#records/postgres/alone-record.js';
import { hoursOfDevices } from '#records/postgres/day.js';
import { variablesFor } from '#records/scope/variable.js';
import type { UnixRange } from '#records/series-interval.js';
import { inSpan, isUnrolled, isUnrolledDay, unrolledTables } from './unrolled-hour.js';

/** Devices, variables and time span of the values to read. */
export interface WantedSeries extends UnixRange {
  organizationId: string;
  /** Variables that the device's product declares; read with their declared types. */
  declared: readonly Pair[];
  /** Other variables; numbers are read from `data` as received, booleans as 1 and 0. */
  undeclared: readonly Pair[];
  /** Whether some days of the time span are in blocks alone. */
  isAlone: boolean;
  /** Whole hours to be read from rollups, in Unix seconds; the end is exclusive. */
  hours?: UnixRange;
}

const time = (seconds: number): Sql => sql`to_timestamp(${seconds}::float8)`;

const pairs = (list: readonly Pair[]): Sql =>
  sql`unnest(${list.map(({ deviceId }) => deviceId)}::uuid[], ${list.map(({ name }) => name)}::text[])`;

const devices = (list: readonly Pair[]): Sql =>
  sql`unnest(${[...new Set(list.map(({ deviceId }) => deviceId))]}::uuid[])`;

/*
 * PostgreSQL cannot estimate the number of rows in these tables, so the statement fixes the order of the work: it first
 * reads each device's part of the index (`offset 0` prevents PostgreSQL from flattening a subquery), and then joins the
 * variables.
 */

/**
 * Common table expressions of the statement: the requested variables, their slots in the products of the organization
 * and of its devices, and the hours that are read from the records.
 */
export const tables = ({ organizationId, declared, hours }: WantedSeries): Sql => sql`
  with pair (device_id, name) as materialized (select * from ${pairs(declared)}),
  slot as materialized (
    select s.product_id, s.name, s.slot
      from product_slot s join product p on p.id = s.product_id cross join lateral jsonb_array_elements(${variablesFor(sql`${organizationId}::uuid`)}) v
     where s.kind = 'number' and s.name in (select name from pair) and v ->> 'name' = s.name and v ->> 'type' = s.type
       and (p.organization_id = ${organizationId}::uuid
            or p.id in (select product_id from device where id in (select device_id from pair)))),
  variable as materialized (
    select name, array_agg(product_id) as products, array_agg(slot) as slots from slot group by name)${
      hours === undefined ? empty : rolledTables(organizationId, hours)
    }`;

/** Products of which the devices have rollups, and the hours that are read from the records. */
const rolledTables = (organizationId: string, hours: UnixRange): Sql => sql`,
  had as materialized (
    select device_id, product_id from record_source where device_id in (select device_id from pair)),
  ${unrolledTables(organizationId, hours)}`;

/** Expressions over `record_rollup u` for one hour: its value, and the time at which it was measured. */
export interface Rolled {
  value: Sql;
  at: Sql;
}

/**
 * A row for each value: `device_id`, `name`, `ts`, the `value`, how many values it combines (`n`), and when it was
 * measured (`at`, `seq`). An hour read from rollups is one row.
 */
export const values = (wanted: WantedSeries, rolled: Rolled): Sql => {
  const parts = [...ofDeclared(wanted, rolled), ...asTheyCame(wanted)];
  return sql`(${join(parts, ' union all ')}) as v (device_id, name, ts, value, n, at, seq)`;
};

const ofDeclared = ({ isAlone, declared, from, to, hours }: WantedSeries, rolled: Rolled): Sql[] => {
  const ofRecords = (when: Sql, each = empty, and = empty) => sql`
    select d.id, variable.name, r.ts, r.numbers[variable.slots[array_position(variable.products, r.product_id)]], 1::int8, r.ts, r.seq
      from ${devices(declared)} d (id) ${each}
      cross join lateral (select ts, seq, product_id, numbers from record r where r.device_id = d.id and ${when} offset 0) r
      cross join variable
     where (d.id, variable.name) in (select device_id, name from pair) ${and}
       and r.numbers[variable.slots[array_position(variable.products, r.product_id)]] is not null`;
  const ofBlocks = (span: UnixRange, when: Sql, of = empty) =>
    isAlone
      ? [
          sql`
    select d.id, slot.name, r.ts, r.value, 1::int8, r.ts, r.seq
      from ${devices(declared)} d (id)
      cross join lateral ${runsAlone(sql`d.id`, time(span.from), time(span.to), of)} b join slot on slot.product_id = b.product_id
      cross join lateral ${valuesAlone(sql`record_block_numbers(b.block, slot.slot, b.first_place, b.last_place)`)} r
     where (d.id, slot.name) in (select device_id, name from pair) and ${when} and r.value is not null`,
        ]
      : [];
  const [first, last] = [sql`r.ts >= ${time(from)}`, sql`r.ts <= ${time(to)}`];
  if (declared.length === 0) return [];
  if (hours === undefined)
    return [ofRecords(sql`${first} and ${last}`), ...ofBlocks({ from, to }, sql`${first} and ${last}`)];
  const before = sql`${first} and r.ts < ${time(hours.from)}`;
  const after = sql`r.ts >= ${time(hours.to)} and ${last}`;
  return [
    ofRecords(before),
    ...ofBlocks({ from, to: hours.from }, before),
    ofHours(hours, rolled),
    ofRecords(inSpan, sql`cross join span h`, isUnrolled),
    ...ofBlocks(hours, sql`true ${isUnrolled}`, isUnrolledDay),
    ofRecords(after),
    ...ofBlocks({ from: hours.to, to }, after),
  ];
};

const ofHours = ({ from, to }: UnixRange, { value, at }: Rolled): Sql => sql`
  select had.device_id, slot.name, u.hour, u.value, u.n, u.at, 0::int8
    from had join slot on slot.product_id = had.product_id
    cross join lateral (
      select u.hour, ${value} as value, u.n, ${at} as at from record_rollup u
       where u.device_id = had.device_id and u.product_id = had.product_id and u.slot = slot.slot
         and ${hoursOfDevices(sql`u.hour`, time(from), time(to))} offset 0) u
   where (had.device_id, slot.name) in (select device_id, name from pair)
     and (had.product_id, u.hour) not in (select product_id, hour from unrolled)`;

const asTheyCame = ({ isAlone, undeclared, from, to }: WantedSeries): Sql[] => {
  if (undeclared.length === 0) return [];
  const part = (records: Sql) => sql`
    select d.device_id, d.name, r.ts,
           case jsonb_typeof(r.value) when 'number' then r.value::float8 else r.value::boolean::int::float8 end, 1::int8, r.ts, r.seq
      from ${pairs(undeclared)} d (device_id, name) cross join lateral (${records} offset 0) r
     where jsonb_typeof(r.value) in ('number', 'boolean')`;
  const within = sql`r.ts >= ${time(from)} and r.ts <= ${time(to)}`;
  const rows = sql`select ts, seq, data -> d.name as value from record r where r.device_id = d.device_id and ${within}`;
  return [part(rows), ...(isAlone ? [part(fieldsAlone(time(from), time(to), within))] : [])];
};
