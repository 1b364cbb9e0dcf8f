import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { slotColumn } from '#records/blocks/column-number.js';
import type { StoredRow } from '#records/blocks/stored-row.js';

/*
 * The newest day in blocks with a value of each device and slot (table record_seen), from which *latest* looks back. It
 * may be later than the newest value that is left, if records were changed or deleted.
 */

/**
 * Notes which slots the records of a block have.
 * @param rows in the order of devices
 * @param day days since 1970
 */
export const noteSeen = async (
  tx: PoolClient,
  rows: readonly StoredRow[],
  source: number,
  day: number,
): Promise<void> => {
  const [devices, cols]: [number[], number[]] = [[], []];
  let known = new Set<number>();
  for (const [index, { device, numbers, texts }] of rows.entries()) {
    if (device !== rows[index - 1]?.device) known = new Set();
    for (const [kind, values] of [
      ['number', numbers],
      ['text', texts],
    ] as const)
      for (const [place, value] of (values ?? []).entries()) {
        const col = slotColumn(kind, place + 1);
        if (value === null || known.has(col)) continue;
        known.add(col);
        devices.push(device);
        cols.push(col);
      }
  }
  await tx.query(sql`
    insert into record_seen (source, device, col, day)
    select ${source}, device, col, 'epoch'::date + ${day}::int from unnest(${devices}::int[], ${cols}::int[]) s (device, col)
    on conflict (device, source, col) do update set day = excluded.day where record_seen.day < excluded.day`);
};
