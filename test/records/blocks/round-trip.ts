import { expect } from '@jest/globals';
import type pg from 'pg';
import { PathNumbers } from '#records/blocks/column-number.js';
import { decodeBlock } from '#records/blocks/decode-block.js';
import { encodeBlock } from '#records/blocks/encode-block.js';
import { readStoredRow, storedColumns } from '#records/blocks/read-block.js';
import { equalRows, type StoredRow } from '#records/blocks/stored-row.js';
import { allOf, copyOut, readBlock, writeBlock } from '#records/postgres/blocks/block-store.js';
import { storeRows } from './store-rows.js';

/** Creates the table `stored` for records without organization and product. */
export const createStored = (client: pg.PoolClient): Promise<unknown> =>
  client.query(`
    create table stored (like record, device int);
    alter table stored alter organization_id drop not null, alter device_id drop not null`);

/** Reads the rows of `stored` in the order of blocks. */
export const readStored = (client: pg.PoolClient): Promise<StoredRow[]> =>
  allOf(copyOut(client, `select ${storedColumns('r.device')} from stored r order by device, ts, seq`, readStoredRow));

/** Stores rows, makes a block of them, and expects the same rows from the block. Leaves nothing behind. */
export const expectSame = async (client: pg.PoolClient, rows: readonly StoredRow[]): Promise<void> => {
  await client.query('begin');
  try {
    await storeRows(client, rows);
    const stored = await readStored(client);
    const paths = new PathNumbers();
    const content = encodeBlock(stored, { paths });
    await writeBlock(client, { block: 1, source: 1, day: 20_000, days: 1 }, content);
    const read = decodeBlock(await readBlock(client, 1), new PathNumbers(paths.takeAdded()));
    const differing = stored.findIndex((row, index) => !equalRows(row, read[index]!));
    if (differing >= 0) expect(read[differing]).toEqual(stored[differing]);
    expect({ differing, length: read.length }).toEqual({ differing: -1, length: rows.length });
  } finally {
    await client.query('rollback');
  }
};
