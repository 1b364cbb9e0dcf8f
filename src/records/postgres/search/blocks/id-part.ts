import sql from 'sql-template-tag';
import { fixedColumns } from '#records/blocks/column-number.js';
import { textsOf } from './block-cells.js';
import { type BlockPart, joined, numberArrays, numberValues } from './block-part.js';

const [arrival, process, counter, tail] = [sql`id_arrival`, sql`id_process`, sql`id_counter`, sql`id_tail`];

/** Counter of an identifier: its process' line, and the residual. */
const count = sql`(b.counter0[x.${process}::int + 1] + floor(b.counter_step[x.${process}::int + 1] * (x.seq - b.seq_lo)) + x.${counter})::int8`;

/** The 42 bits of the process, as 11 digits. */
const bits = sql`b.process[x.${process}::int + 1]`;

/** Digits after the arrival; see `id-column.ts`. */
const rest = sql`'7' || lpad(to_hex(${count} >> 20), 3, '0') || to_hex(8388608 + (${count} & 1048575) * 4 + left(${bits}, 1)::int) || substr(${bits}, 2)`;

/** Identifier of a record. It reads the time and `seq` of the record, too. */
export const idPart: BlockPart = {
  joins: [
    joined(fixedColumns.arrival, arrival),
    joined(fixedColumns.process, process),
    joined(fixedColumns.counter, counter),
    joined(fixedColumns.id, tail),
  ],
  arrays: [...[arrival, process, counter].flatMap((c) => numberArrays(c)), sql`${textsOf(tail)} as ${tail}`],
  values: [...[arrival, process, counter].flatMap((c) => numberValues(c)), sql`unnest(a.${tail}) as ${tail}`],
  output: sql`(case when x.${arrival} is null then x.${tail}
      else lpad(to_hex((floor(extract(epoch from x.ts) * 1000) + x.${arrival})::int8), 12, '0') || coalesce(x.${tail}, ${rest}) end)::uuid`,
};
