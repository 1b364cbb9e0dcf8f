import sql, { join, type Sql } from 'sql-template-tag';
import type { SumPart } from '#records/blocks/sum.js';
import { instantText } from '#search/query/option/instant.js';
import { squared } from '../../squared.js';
import type { ReplacedDay, RollupRange, Whose } from '../rollup/rollup-range.js';
import { numbersOf, powers, textsOf } from './block-cells.js';
import { devicePart } from './block-part.js';

/*
 * Rows like those of record_day, from the blocks of days that have none: a row for each run and slot. Where a column has
 * no sums, because they would replace few values, there is a row for each value.
 */

/** Parts of a sum that a row has, in its order, with their aliases. */
const parts: readonly (readonly [part: SumPart, alias: Sql])[] = [
  ['n', sql`sn`],
  ['s', sql`ss`],
  ['l', sql`sl`],
  ['h', sql`sh`],
  ['q', sql`sq`],
];

/** Reads days from blocks, as parts of a union. */
export const blockSums = (whose: Whose, { slots }: RollupRange, days: readonly ReplacedDay[]): Sql[] => {
  if (days.length === 0) return [];
  const [numbers, texts] = [slots.filter((slot) => slot > 0), slots.filter((slot) => slot < 0)];
  return [
    summed(whose, [0, ...slots], days),
    ...(numbers.length > 0 ? [ofValues(whose, numbers, days, 'number')] : []),
    ...(texts.length > 0 ? [ofValues(whose, texts, days, 'text')] : []),
  ];
};

/** Blocks `b` of the days `y` that may have records of the devices. */
export const blocksOf = ({ deviceIds }: Whose, days: readonly ReplacedDay[]): Sql => {
  const device = (bound: Sql) =>
    sql`(select ${bound} from record_block_device where device_id = any(${deviceIds}::uuid[]))`;
  const [sources, products] = [days.map(({ source }) => source), days.map(({ productId }) => productId)];
  const dates = days.map(({ start }) => instantText(start).slice(0, 10));
  return sql`
    unnest(${sources}::int[], ${products}::uuid[], ${dates}::date[]) y (source, product_id, day)
    join record_block b on b.source = y.source and b.day = y.day and b.lo <= ${device(sql`max(device)`)} and b.hi >= ${device(sql`min(device)`)}`;
};

const eachSlot = (slots: readonly number[]): Sql => sql`cross join unnest(${slots}::int[]) v (slot)`;

const summed = (whose: Whose, slots: readonly number[], days: readonly ReplacedDay[]): Sql => {
  const joins = parts.map(
    ([part, p]) =>
      sql`left join record_block_sum ${p} on ${p}.block = b.block and ${p}.col = v.slot and ${p}.part = ${part}`,
  );
  const columns = parts.map(
    ([
      ,
      p,
    ]) => sql`${p}.v1 as ${p}_v1, ${p}.v2 as ${p}_v2, ${p}.v4 as ${p}_v4, ${p}.v8 as ${p}_v8, ${p}.base as ${p}_base,
          (${powers})[coalesce(${p}.scale, 0) + 1] as ${p}_power`,
  );
  const values = parts.map(([, p]) => sql`${cellOf(p)} as ${p}`);
  // The values of a run are computed before the join with devices, which would keep the arrays of each row.
  return sql`
    select ${whose.organizationId}::uuid, d.device_id, x.product_id, x.ts, x.slot,
      case x.slot when 0 then x.count else x.sn end::int8, x.ss, x.sl, x.sh, x.sq
    from (
      select x.product_id, x.ts, x.slot, u.device, u.count, ${join(values)}
      from (
        select y.product_id, y.day::timestamptz as ts, v.slot, b.devices, b.counts, ${join(columns)}
        from ${blocksOf(whose, days)}
        ${eachSlot(slots)}
        ${join(joins, '\n        ')} offset 0) x
      cross join lateral unnest(x.devices, x.counts) with ordinality u (device, count, i) offset 0) x
    join record_block_device d on d.device = x.device and d.device_id = any(${whose.deviceIds}::uuid[])
    where x.slot = 0 or x.sn > 0`;
};

/** Element `i` of a sum, which is in one of four arrays; a constant is in none of them. */
const cellOf = (p: Sql): Sql => sql`case when x.${p}_v8 is not null then x.${p}_v8[u.i] else (x.${p}_base + case
        when x.${p}_v2 is not null then x.${p}_v2[u.i] when x.${p}_v1 is not null then x.${p}_v1[u.i]::int
        when x.${p}_v4 is not null then x.${p}_v4[u.i] else 0 end)::float8 / x.${p}_power end`;

const ofValues = (
  whose: Whose,
  slots: readonly number[],
  days: readonly ReplacedDay[],
  kind: 'number' | 'text',
): Sql => {
  const values = { number: numbersOf, text: textsOf }[kind](sql`c`);
  const value =
    kind === 'number'
      ? sql`(unnest(x.cells) - (0 - coalesce(x.base, 0)::float8)) / (${powers})[coalesce(x.scale, 0) + 1]`
      : sql`unnest(x.cells)`;
  const measures =
    kind === 'number'
      ? sql`a.v, a.v, a.v, ${squared(sql`a.v`)}`
      : sql`null::float8, null::float8, null::float8, null::float8`;
  return sql`
    select ${whose.organizationId}::uuid, a.device_id, x.product_id, x.ts, x.slot, 1::int8, ${measures}
    from (
      select y.product_id, y.day::timestamptz as ts, v.slot, c.base, c.scale, ${join(devicePart(whose.deviceIds, false).arrays)}, ${values} as cells
      from ${blocksOf(whose, days)}
      ${eachSlot(slots)}
      join record_block_column c on c.block = b.block and c.col = v.slot
      where not exists (select from record_block_sum s where s.block = b.block and s.col = v.slot and s.part = 'n') offset 0) x
    cross join lateral (select unnest(x.devices) as device_id, ${value} as v) a
    where a.device_id is not null and a.v is not null`;
};
