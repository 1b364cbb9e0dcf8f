import sql, { empty, type Sql } from 'sql-template-tag';
import { GroupSplit } from '#entities/group-series.js';
import { maxGroupLines } from '#records/answer/group-lines.js';
import type { GroupPlan } from '#records/answer/group-plan.js';
import type { GroupCall } from '#records/group-series.js';
import type { QueryReader } from '#records/scope/snapshot-reader.js';
import type { VariableFact } from '../fact.js';
import { keyed } from '../line.js';
import { isSited, stayTable } from '../stay.js';
import type { TilePlan } from './tile.js';

/** Devices of a call, each once, as columns in ascending order of their numbers in blocks. */
export interface Units {
  /** A device that is in no block has a negative number. */
  readonly numbers: Int32Array;
  /** Indexes of the products that the devices have now; -1 for another one. */
  readonly products: Int32Array;
  /** 1 if the tiles have all records of the device on their days, else 0. */
  readonly isTiled: Uint8Array;
}

/** A line: its devices as indexes of {@link Units}. */
export interface UnitLine {
  readonly group: string;
  readonly key: string | null;
  readonly units: Int32Array;
}

/**
 * Common table expression `unit` after those of members: each device, its number in blocks, and whether tiles have its
 * records: those with records of one product alone, since the segments of two could overlap, and without an exchange of
 * the meter within the range.
 */
export const unitTable = (
  { organizationId, variable }: GroupCall,
  facts: readonly VariableFact[],
  { days, valuesFrom }: TilePlan,
  { to }: GroupPlan,
): Sql => sql`
  exchanged as (
    select device_id from counter_exchange
     where organization_id = ${organizationId}::uuid and variable = ${variable}
       and ts >= to_timestamp(${valuesFrom}::float8) and ts < to_timestamp(${to}::float8)),
  numbered as materialized (
    select d.device_id, d.product_id, b.device as number,
           coalesce(d.product_id = any(${facts.map(({ productId }) => productId)}::uuid[]), false) and d.device_id not in (select device_id from exchanged)
             and count(o.device_id) = 1 and bool_and(coalesce(o.product_id = any(${[...new Set(days.map(({ productId }) => productId))]}::uuid[]), false)) as is_tiled
      from all_device d left join record_block_device b on b.device_id = d.device_id
      left join record_source o on o.device_id = d.device_id and o.organization_id = ${organizationId}::uuid
     group by 1, 2, 3),
  unit as materialized (
    select * from numbered where number is not null
    union all
    select device_id, product_id, -row_number() over (order by device_id)::int, is_tiled from numbered where number is null)`;

/** Common table expressions: the devices by group (`member`), and each device once (`all_device`). */
export const allMembers = ({ members: { from, group, isSite }, groups }: GroupCall): Sql => sql`
  member as materialized (select ${group} as grp, d.id as device_id, d.product_id, d.tags from ${from}),
  all_device as materialized (select ${groups.length > 1 || isSite ? sql`distinct ` : empty}device_id, product_id from member)`;

/** The devices of a product, by whether tiles have them; or those of a line, by whether some come or go. */
type Row = [kind: 'unit' | 'line', grp: string | null, key: string | null, all: string | null, flag: string | null];

/**
 * Reads the devices of a call and its lines, ordered by group and key. Undefined if devices changed between lines within
 * the range, or there are more lines of a group than an answer has.
 */
export const readUnits = async (
  reader: QueryReader,
  call: GroupCall,
  facts: readonly VariableFact[],
  tiles: TilePlan,
  plan: GroupPlan,
): Promise<{ units: Units; lines: UnitLine[] } | undefined> => {
  const table = sql`with ${allMembers(call)}${stayTable(call)}, ${unitTable(call, facts, tiles, plan)}`;
  const all = sql`
    select 'unit', null::text as grp, array_position(${facts.map(({ productId }) => productId)}::uuid[], product_id)::text as key,
           string_agg(number::text, ','), is_tiled::int::text as flag from unit group by 3, 5`;
  const isWhole = call.split === GroupSplit.none && call.groups.length === 1 && !isSited(call);
  const rows = (await reader.tuples(
    isWhole ? sql`${table} ${all}` : sql`${table} ${all} union all select 'line', * from (${linesOf(call, plan)}) l`,
  )) as Row[];
  const lines = rows.filter(([kind]) => kind === 'line');
  const perGroup = Map.groupBy(lines, ([, group]) => group);
  if (lines.some((line) => line[4] !== null) || [...perGroup.values()].some(({ length }) => length > maxGroupLines))
    return undefined;
  const units = unitsOf(rows.filter(([kind]) => kind === 'unit'));
  if (isWhole) {
    const every = units.numbers.map((_, index) => index);
    return { units, lines: [{ group: call.groups[0]!, key: null, units: every }] };
  }
  const places = new Map(Array.from(units.numbers, (number, index) => [number, index]));
  return {
    units,
    lines: lines.map(([, group, key, all]) => ({
      group: group!,
      key,
      units: Int32Array.from(numbersOf(all), (number) => places.get(number)!).sort(),
    })),
  };
};

/** Selects the lines, the numbers of their devices, and `moved` if devices come or go within the range. */
const linesOf = (call: GroupCall, plan: GroupPlan): Sql => {
  const [since, to] = [sql`to_timestamp(${plan.since}::float8)`, sql`to_timestamp(${plan.to}::float8)`];
  const overlaps = sql`w.started_at < ${to} and w.ended_at > ${since}`;
  const [present, moved, join] = isSited(call)
    ? [
        overlaps,
        sql`${overlaps} and (w.started_at > ${since} or w.ended_at < ${to})`,
        sql`join stay w on w.unit = k.unit join unit u on u.device_id = w.device_id`,
      ]
    : [sql`true`, sql`false`, sql`join unit u on u.device_id = k.unit`];
  return sql`
    select grp, key, string_agg(number::text, ',') filter (where is_present), case when bool_or(is_moved) then 'moved' end
      from (
        select k.grp, k.key, u.number, bool_or(${present}) as is_present, bool_or(${moved}) as is_moved
          from (${keyed(call)}) k ${join} group by 1, 2, 3) k
     group by 1, 2 order by 1, 2`;
};

const numbersOf = (list: string | null): number[] => (list === null ? [] : list.split(',').map(Number));

const unitsOf = (rows: readonly Row[]): Units => {
  // A number of a device and the index of its row in one double, which an array of them sorts fast.
  const sorted = Float64Array.from(
    rows.flatMap(([, , , all], index) => numbersOf(all).map((number) => number * rows.length + index)),
  ).sort();
  const { length } = sorted;
  const units = { numbers: new Int32Array(length), products: new Int32Array(length), isTiled: new Uint8Array(length) };
  for (let place = 0; place < length; place++) {
    const number = Math.floor(sorted[place]! / rows.length);
    const [, , product, , flag] = rows[sorted[place]! - number * rows.length]!;
    units.numbers[place] = number;
    units.products[place] = product === null ? -1 : Number(product) - 1;
    units.isTiled[place] = Number(flag);
  }
  return units;
};
