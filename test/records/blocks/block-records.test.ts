import { expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { createPool } from '#database/pools.js';
import { type BlockRecord, blockReaderOf, readBlocks } from '#records/postgres/blocks/block-records.js';
import { type BlockWorld, daySeconds, someRecords, useBlockWorld } from './block-world.js';

let world: BlockWorld;
const database = useBlockWorld((_, created) => (world = created));

it('reads whole records of blocks, in the order of storing, while other statements are under way', async () => {
  const fleet = await world.fleetOf();
  await world.put(fleet, ...someRecords(300), ...someRecords(200, daySeconds));
  await world.makeAgain();
  const pool = createPool(database.url, { pipeline: true });
  const tx = await pool.connect();
  const { rows: blocks } = await tx.query<{ block: number }>('select block from record_block order by block');
  const records: BlockRecord[] = [];
  const beside = tx.query('select pg_sleep(0.01)');
  for await (const read of readBlocks(
    blockReaderOf(tx),
    blocks.map(({ block }) => block),
  ))
    records.push(...read.records);
  await beside;
  const { rows } = await tx.query(sql`
    select id, seq::float8, extract(epoch from ts)::float8 * 1e6 as ts, metadata::text, data::text, frame::text, given::text,
      many::text, numbers, texts, ignored, device_id as "deviceId", product_id as "productId"
    from record order by ts`);
  tx.release();
  await pool.end();
  const inOrder = records.toSorted((one, other) => one.ts - other.ts);
  expect(rows).toHaveLength(500);
  expect(inOrder).toEqual(rows);
});
