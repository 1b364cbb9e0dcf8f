import sql, { type Sql } from 'sql-template-tag';
import type { ReplacedDay, Whose } from '../rollup/rollup-range.js';
import type { NumberSlot } from '../sql/stored-field.js';
import { numbersOf, positionsOf, powers, textsOf } from './block-cells.js';
import { devicePart } from './block-part.js';
import { blocksOf } from './block-sum.js';

/*
 * Rows like those of record_value, from the blocks of days that have none by device: a row for each run and value. Where
 * a column has no states, because they would replace few values, there is a row for each record.
 */

/** Reads counts by value from blocks, as parts of a union. */
export const blockCounts = (whose: Whose, keys: readonly NumberSlot[], days: readonly ReplacedDay[]): Sql[] => {
  if (days.length === 0) return [];
  const [numbers, texts] = [keys.filter(({ slot }) => slot > 0), keys.filter(({ slot }) => slot < 0)];
  return [
    inStates(whose, keys, days),
    withoutValue(whose, keys, days),
    ...(numbers.length > 0 ? [ofRecords(whose, numbers, days, 'number')] : []),
    ...(texts.length > 0 ? [ofRecords(whose, texts, days, 'text')] : []),
  ];
};

const ofKeys = (keys: readonly NumberSlot[]): Sql =>
  sql`join unnest(${keys.map(({ productId }) => productId)}::uuid[], ${keys.map(({ slot }) => slot)}::int[]) k (product_id, slot) on k.product_id = y.product_id`;

/** Columns of a row. `state` is a text and `number` a number; the key is in one of them. */
const columnsOf = ({ organizationId }: Whose, n: Sql): Sql => sql`
      ${organizationId}::uuid, d.device_id, x.product_id, x.day::timestamptz, 0, ${n}, null::float8, null::float8, null::float8, null::float8,
      case when x.slot < 0 then array_fill(x.state, array[1], array[-x.slot]) end,
      case when x.slot > 0 then array_fill(x.number, array[1], array[x.slot]) end, null::jsonb`;

/**
 * PostgreSQL expects a thousand rows of the empty part. Otherwise it looks up the device of each of 18,000 runs and
 * states, which takes as long as everything else.
 */
const ofDevices = ({ deviceIds }: Whose): Sql => sql`join (
      select device, device_id from record_block_device where device_id = any(${deviceIds}::uuid[])
      union all
      select null, null from generate_series(1, (select 0))) d on d.device = x.device`;

/** Number of pairs of a run and a state: no two are equal, so that one of both varies unless there is one pair. */
const pairs: Sql = sql`coalesce(cardinality(r.v1), cardinality(r.v2), cardinality(r.v4), cardinality(s.v1), cardinality(s.v2), cardinality(s.v4), 1)`;

const inStates = (whose: Whose, keys: readonly NumberSlot[], days: readonly ReplacedDay[]): Sql => sql`
    select ${columnsOf(whose, sql`x.n`)}
    from (
      select x.product_id, x.day, x.slot, x.devices[x.r + p.r + 1] as device, x.dict[x.s + p.s + 1] as state, (x.s + p.s)::float8 as number, (x.c + p.c)::int8 as n
      from (
        select y.product_id, y.day, k.slot, b.devices, e.dict, r.base as r, s.base as s, c.base as c,
          ${positionsOf(sql`r`, pairs)} as rs, ${positionsOf(sql`s`, pairs)} as ss, ${positionsOf(sql`c`, pairs)} as cs
        from ${blocksOf(whose, days)}
        ${ofKeys(keys)}
        join record_block_column e on e.block = b.block and e.col = k.slot
        join record_block_sum r on r.block = b.block and r.col = k.slot and r.part = 'r'
        join record_block_sum s on s.block = b.block and s.col = k.slot and s.part = 'v'
        join record_block_sum c on c.block = b.block and c.col = k.slot and c.part = 'c' offset 0) x
      cross join lateral unnest(x.rs, x.ss, x.cs) p (r, s, c) offset 0) x
    ${ofDevices(whose)}`;

/** Records of runs that have a state, or no value at all, less those in a state. */
const withoutValue = (whose: Whose, keys: readonly NumberSlot[], days: readonly ReplacedDay[]): Sql => sql`
    select ${columnsOf(whose, sql`x.n`)}
    from (
      select x.product_id, x.day, x.slot, x.devices[i] as device, null::text as state, null::float8 as number, (x.counts[i] - x.base - x.ns[i])::int8 as n
      from (
        select y.product_id, y.day, k.slot, b.devices, b.counts, coalesce(c.base, 0) as base, ${positionsOf(sql`c`, sql`cardinality(b.devices)`)} as ns
        from ${blocksOf(whose, days)}
        ${ofKeys(keys)}
        left join record_block_column e on e.block = b.block and e.col = k.slot
        left join record_block_sum r on r.block = b.block and r.col = k.slot and r.part = 'r'
        left join record_block_sum c on c.block = b.block and c.col = k.slot and c.part = 'n'
        where e.block is null or r.block is not null offset 0) x
      cross join generate_subscripts(x.devices, 1) i offset 0) x
    ${ofDevices(whose)}
    where x.n > 0`;

const ofRecords = (
  whose: Whose,
  keys: readonly NumberSlot[],
  days: readonly ReplacedDay[],
  kind: 'number' | 'text',
): Sql => {
  const [cells, state, number] =
    kind === 'text'
      ? [textsOf(sql`c`), sql`unnest(x.cells)`, sql`null::float8`]
      : [
          numbersOf(sql`c`),
          sql`null::text`,
          sql`(unnest(x.cells) - (0 - coalesce(x.base, 0)::float8)) / (${powers})[coalesce(x.scale, 0) + 1]`,
        ];
  return sql`
    select ${columnsOf(whose, sql`1::int8`)}
    from (
      select x.product_id, x.day, x.slot, unnest(x.devices) as device_id, ${state} as state, ${number} as number
      from (
        select y.product_id, y.day, k.slot, c.base, c.scale, ${devicePart(whose.deviceIds, false).arrays[0]!}, ${cells} as cells
        from ${blocksOf(whose, days)}
        ${ofKeys(keys)}
        join record_block_column c on c.block = b.block and c.col = k.slot
        where not exists (select from record_block_sum r where r.block = b.block and r.col = k.slot and r.part = 'r') offset 0) x offset 0) x
    cross join lateral (select x.device_id) d
    where d.device_id is not null`;
};
