import type { PoolClient } from 'pg';
import { escapeLiteral } from 'pg';
import { readStoredRow, storedColumns } from '#records/blocks/read-block.js';
import type { StoredRow } from '#records/blocks/stored-row.js';
import type { Owner } from '../upkeep/rollup-day.js';
import { type BlockedDay, loadPaths, readBlockRows } from './block-rows.js';
import { copyOut } from './block-store.js';

/**
 * Reads the records of an owner's day in the order of blocks: device, time, `seq`. The device is 0 if it has no number;
 * such records come first.
 * @param day days since 1970
 */
export const readDay = (
  tx: PoolClient,
  { organization_id, product_id }: Owner,
  day: number,
): AsyncGenerator<StoredRow[]> => {
  const product = product_id === null ? 'is null' : `= ${escapeLiteral(product_id)}`;
  // COPY takes no parameters. The planner reads one partition, because the times are constants.
  const query = `
    select ${storedColumns('coalesce(d.device, 0)')} from record r left join record_block_device d on d.device_id = r.device_id
    where r.organization_id = ${escapeLiteral(organization_id)} and r.product_id ${product}
      and r.ts >= to_timestamp(${day * 86_400}) and r.ts < to_timestamp(${(day + 1) * 86_400})
    order by 3, r.ts, r.seq`;
  return copyOut(tx, query, readStoredRow);
};

/**
 * Reads the records of a day in blocks alone in the order of blocks: those of its blocks, without those of deleted
 * devices, and its rows, which arrived later.
 * @param late the rows of the day, in that order
 * @param gone numbers of the deleted devices
 */
export async function* readAloneDay(
  tx: PoolClient,
  place: Pick<BlockedDay, 'source' | 'day'>,
  { late, gone }: { late: readonly StoredRow[]; gone: ReadonlySet<number> },
): AsyncGenerator<StoredRow[]> {
  let next = 0;
  for await (const page of readBlockRows(tx, place, await loadPaths(tx, place.source))) {
    const merged: StoredRow[] = [];
    for (const row of page) {
      while (next < late.length && isBefore(late[next]!, row)) merged.push(late[next++]!);
      if (!gone.has(row.device)) merged.push(row);
    }
    yield merged;
  }
  yield late.slice(next);
}

const isBefore = (one: StoredRow, other: StoredRow): boolean =>
  (one.device - other.device || one.ts - other.ts || one.seq - other.seq) < 0;
