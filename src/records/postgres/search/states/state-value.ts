import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { DeclaredPair, Pair } from '#records/answer/series-answer.js';
import { longestState } from '#records/answer/states-answer.js';
import { fieldsAlone, runsAlone, valuesAlone } from '#records/postgres/alone-record.js';
import { hourOf, hoursOfDevices } from '#records/postgres/day.js';
import { inSpan, isUnrolled, isUnrolledDay, unrolledTables } from '#records/postgres/search/series/unrolled-hour.js';
import { type SlotKind, slotKind } from '#records/scope/slot.js';
import { variablesFor } from '#records/scope/variable.js';
import type { UnixRange } from '#records/series-interval.js';

/** Devices, variables and time span of the states to read. */
export interface WantedStates extends UnixRange {
  organizationId: string;
  declared: readonly DeclaredPair[];
  undeclared: readonly Pair[];
  /** Whether some days of the time span are in blocks alone. */
  isAlone: boolean;
  /** Whole hours to be read from rollups, in Unix seconds; the end is exclusive. */
  hours?: UnixRange;
}

const time = (seconds: number): Sql => sql`to_timestamp(${seconds}::float8)`;

const devices = (list: readonly Pair[]): Sql =>
  sql`unnest(${[...new Set(list.map(({ deviceId }) => deviceId))]}::uuid[]) d (id)`;

const ofKind = (declared: readonly DeclaredPair[], kind: SlotKind) =>
  declared.filter(({ type }) => slotKind(type) === kind);

/** Common table expressions: the variables, their slots by product, and the rollups of whole hours. */
export const stateTables = ({ organizationId, declared, hours }: WantedStates): Sql => sql`
  with pair (device_id, name, kind) as materialized (
    select * from unnest(${declared.map(({ deviceId }) => deviceId)}::uuid[], ${declared.map(({ name }) => name)}::text[],
      ${declared.map(({ type }) => slotKind(type))}::text[])),
  slot as materialized (
    select s.product_id, s.name, s.kind, s.slot
      from product_slot s join product p on p.id = s.product_id cross join lateral jsonb_array_elements(${variablesFor(sql`${organizationId}::uuid`)}) v
     where (s.name, s.kind) in (select name, kind from pair) and v ->> 'name' = s.name and v ->> 'type' = s.type
       and (p.organization_id = ${organizationId}::uuid
            or p.id in (select product_id from device where id in (select device_id from pair)))),
  variable as materialized (
    select name, kind, array_agg(product_id) as products, array_agg(slot) as slots from slot group by 1, 2)${
      hours === undefined ? empty : rolledTables(organizationId, hours)
    }`;

/** The hours that are read from the records, and the rollups of the others. */
const rolledTables = (organizationId: string, { from, to }: UnixRange): Sql => sql`,
  ${unrolledTables(organizationId, { from, to })},
  hour_value as materialized (
    select had.device_id, had.product_id, slot.name, slot.slot, u.hour, u.min, u.max, u.first_ts, u.last_ts
      from (select device_id, product_id from record_source where device_id in (select device_id from pair)) had
      join slot on slot.product_id = had.product_id and slot.kind = 'number'
      cross join lateral (
        select u.hour, u.min, u.max, u.first_ts, u.last_ts from record_rollup u
         where u.device_id = had.device_id and u.product_id = had.product_id and u.slot = slot.slot
           and ${hoursOfDevices(sql`u.hour`, time(from), time(to))} offset 0) u
     where (had.device_id, slot.name, slot.kind) in (select device_id, name, kind from pair)
       and (had.product_id, u.hour) not in (select product_id, hour from unrolled))`;

/**
 * A row for each value, or for an hour with one value: `device_id`, `name`, the times of its first and last record
 * (`ts`, `until`), `state` as text, and `seq`. An hour with several values is read from its records.
 */
export const stateValues = (wanted: WantedStates): Sql => {
  const { isAlone, declared, undeclared, hours, from, to } = wanted;
  const [numbers, texts] = [ofKind(declared, 'number'), ofKind(declared, 'text')];
  const all: Span = { when: sql`r.ts >= ${time(from)} and r.ts <= ${time(to)}`, from, to };
  const parts: Sql[] = [];
  if (texts.length > 0) parts.push(...ofSpan(wanted, texts, 'text', all));
  if (numbers.length > 0)
    parts.push(...(hours === undefined ? ofSpan(wanted, numbers, 'number', all) : rolled(wanted, numbers, hours)));
  if (undeclared.length > 0) parts.push(...asTheyCame(isAlone, undeclared, all));
  return sql`(${join(parts, ' union all ')}) as v (device_id, name, ts, until, state, seq)`;
};

/** Text of a declared value of a record. */
const columnOf = {
  number: (slot: Sql) => sql`r.numbers[${slot}]::text`,
  text: (slot: Sql) => sql`left(r.texts[${slot}], ${longestState})`,
};

/** A condition on the time of records `r`, and a range in which it lies. */
interface Span extends UnixRange {
  readonly when: Sql;
}

const ofSpan = ({ isAlone }: WantedStates, list: readonly Pair[], kind: SlotKind, span: Span): Sql[] => [
  ofRecords(list, kind, span.when),
  ...(isAlone ? [ofBlocks(list, kind, span)] : []),
];

const ofRecords = (list: readonly Pair[], kind: SlotKind, when: Sql, each = empty, and = empty): Sql => {
  const state = columnOf[kind](sql`variable.slots[array_position(variable.products, r.product_id)]`);
  return sql`
    select d.id, variable.name, r.ts, r.ts, ${state}, r.seq
      from ${devices(list)} ${each}
      cross join lateral (select ts, seq, product_id, numbers, texts from record r where r.device_id = d.id and ${when} offset 0) r
      cross join variable
     where variable.kind = ${kind} and (d.id, variable.name, variable.kind) in (select device_id, name, kind from pair) ${and}
       and ${state} is not null`;
};

/** @param of condition on a run `b` */
const ofBlocks = (list: readonly Pair[], kind: SlotKind, { when, from, to }: Span, of = empty): Sql => sql`
    select d.id, slot.name, r.ts, r.ts, ${aloneOf[kind].state}, r.seq
      from ${devices(list)} cross join lateral ${runsAlone(sql`d.id`, time(from), time(to), of)} b
      join slot on slot.product_id = b.product_id and slot.kind = ${kind}
      cross join lateral ${valuesAlone(aloneOf[kind].values(sql`slot.slot`))} r
     where (d.id, slot.name, slot.kind) in (select device_id, name, kind from pair) and ${when} and r.value is not null`;

/** Values of a run `b` of records that are in blocks alone, and the text of a value. */
const aloneOf = {
  number: {
    values: (slot: Sql) => sql`record_block_numbers(b.block, ${slot}, b.first_place, b.last_place)`,
    state: sql`r.value::text`,
  },
  text: {
    values: (slot: Sql) => sql`record_block_texts(b.block, -${slot}, b.first_place, b.last_place)`,
    state: sql`left(r.value, ${longestState})`,
  },
};

const rolled = (wanted: WantedStates, numbers: readonly Pair[], hours: UnixRange): Sql[] => {
  const { isAlone, from, to } = wanted;
  const [start, end, first, last] = [from, to, hours.from, hours.to].map(time) as [Sql, Sql, Sql, Sql];
  return [
    ...ofSpan(wanted, numbers, 'number', { when: sql`r.ts >= ${start} and r.ts < ${first}`, from, to: hours.from }),
    ofHours,
    ofRecords(numbers, 'number', inSpan, sql`cross join span h`, isUnrolled),
    ...(isAlone
      ? [ofAloneHours, ofBlocks(numbers, 'number', { when: sql`true ${isUnrolled}`, ...hours }, isUnrolledDay)]
      : []),
    ...ofSpan(wanted, numbers, 'number', { when: sql`r.ts >= ${last} and r.ts <= ${end}`, from: hours.to, to }),
  ];
};

/** Reads hours with one value from their rollups, and the others from the records. */
const ofHours: Sql = sql`
  select device_id, name, first_ts, last_ts, min::text, 0::int8 from hour_value where min = max
  union all
  select u.device_id, u.name, r.ts, r.ts, r.value::text, r.seq
    from hour_value u cross join lateral (
      select r.ts, r.seq, r.numbers[u.slot] as value from record r
       where r.device_id = u.device_id and r.product_id = u.product_id and r.ts >= u.hour and r.ts < u.hour + interval '1 hour'
         and r.numbers[u.slot] is not null offset 0) r
   where u.min <> u.max`;

/** Reads hours with several values of days in blocks alone. */
const ofAloneHours: Sql = sql`
  select u.device_id, u.name, r.ts, r.ts, r.value::text, r.seq
    from (
      select device_id, product_id, name, slot, date_trunc('day', hour, 'UTC') as day, array_agg(hour) as hours
        from hour_value where min <> max group by 1, 2, 3, 4, 5) u
    cross join lateral record_block_device_runs(u.device_id, u.day, u.day) b
    cross join lateral ${valuesAlone(aloneOf.number.values(sql`u.slot`))} r
   where b.product_id = u.product_id and ${hourOf(sql`r.ts`)} = any(u.hours) and r.value is not null`;

const asTheyCame = (isAlone: boolean, undeclared: readonly Pair[], { when, from, to }: Span): Sql[] => {
  const part = (records: Sql) => sql`
  select d.device_id, d.name, r.ts, r.ts, left(r.value #>> '{}', ${longestState}), r.seq
    from unnest(${undeclared.map(({ deviceId }) => deviceId)}::uuid[], ${undeclared.map(({ name }) => name)}::text[]) d (device_id, name)
    cross join lateral (${records} offset 0) r
   where jsonb_typeof(r.value) in ('number', 'boolean', 'string')`;
  const rows = sql`select ts, seq, data -> d.name as value from record r where r.device_id = d.device_id and ${when}`;
  return [part(rows), ...(isAlone ? [part(fieldsAlone(time(from), time(to), when))] : [])];
};
