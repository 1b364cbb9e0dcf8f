import sql, { empty, type Sql } from 'sql-template-tag';
import { fixedColumns, slotColumn } from '#records/blocks/column-number.js';
import { name } from '../sql/name.js';
import { linesOf, numbersOf, powers, textsOf } from './block-cells.js';

/** SQL that decodes one value of each record of a block. */
export interface BlockPart {
  /** Joins of its columns with the block `b`. */
  readonly joins: readonly Sql[];
  /** Arrays of the block, and what is common to their elements, as columns of `a`. */
  readonly arrays: readonly Sql[];
  /** Their elements, as columns of `x`. */
  readonly values: readonly Sql[];
  /** The value, over `x`. */
  readonly output: Sql;
}

/** A value that no statement reads. */
export const unread = (type: Sql): BlockPart => ({ joins: [], arrays: [], values: [], output: sql`null::${type}` });

/** Joins a column of the block, whose number does not depend on the source. */
export const joined = (col: number, alias: Sql): Sql =>
  sql`left join record_block_column ${alias} on ${alias}.block = b.block and ${alias}.col = ${col}::smallint`;

/** Decodes numbers of a column that has the alias `c`. */
export const numberArrays = (c: Sql, cells: Sql = numbersOf(c)): readonly Sql[] => [
  sql`${cells} as ${c}, 0 - coalesce(${c}.base, 0)::float8 as ${c}_base, (${powers})[coalesce(${c}.scale, 0) + 1] as ${c}_power`,
];

/** Returns the elements of {@link numberArrays}. They are subtracted from, because adding 0 would make 0 of -0. */
export const numberValues = (c: Sql): readonly Sql[] => [sql`(unnest(a.${c}) - a.${c}_base) / a.${c}_power as ${c}`];

/** Number in a slot. */
export const numberPart = (slot: number): BlockPart => {
  const c = name('number', slot);
  return {
    joins: [joined(slotColumn('number', slot), c)],
    arrays: numberArrays(c),
    values: numberValues(c),
    output: sql`x.${c}`,
  };
};

/** Text in a slot. */
export const textPart = (slot: number): BlockPart => {
  const c = name('text', slot);
  return {
    joins: [joined(slotColumn('text', slot), c)],
    arrays: [sql`${textsOf(c)} as ${c}`],
    values: [sql`unnest(a.${c}) as ${c}`],
    output: sql`x.${c}`,
  };
};

/** Time of a record. */
export const timePart: BlockPart = {
  joins: [joined(fixedColumns.ts, sql`ct`)],
  arrays: [
    sql`${linesOf(sql`b.t0`, sql`b.step`)} as times, ${numbersOf(sql`ct`)} as residuals, coalesce(ct.base, 0)::float8 as shift`,
  ],
  values: [
    sql`'1970-01-01Z'::timestamptz + (unnest(a.times) + b.unit * (a.shift + unnest(a.residuals))) * interval '1 microsecond' as ts`,
  ],
  output: sql`x.ts`,
};

/** Number of a record in the order of storing. */
export const seqPart: BlockPart = {
  joins: [joined(fixedColumns.seq, sql`cs`)],
  arrays: [
    sql`${linesOf(sql`b.seq0`, sql`b.seq_step`)} as seqs, ${numbersOf(sql`cs`)} as places, coalesce(cs.base, 0)::float8 as seq_shift`,
  ],
  values: [sql`(unnest(a.seqs) + a.seq_shift + unnest(a.places))::int8 as seq`],
  output: sql`x.seq`,
};

/** Device of a record; null for one out of scope, if the query does not cover all devices. */
export const devicePart = (deviceIds: readonly string[], everyDevice: boolean): BlockPart => {
  const inScope = everyDevice ? empty : sql` and d.device_id = any(${deviceIds}::uuid[])`;
  return {
    joins: [],
    arrays: [
      sql`array(
      select y.id from (
        select x.id, generate_series(1, x.count) from (
          select (select d.device_id from record_block_device d where d.device = u.device${inScope}) as id, u.count
          from unnest(b.devices, b.counts) u (device, count) offset 0) x) y) as devices`,
    ],
    values: [sql`unnest(a.devices) as device_id`],
    output: sql`x.device_id`,
  };
};
