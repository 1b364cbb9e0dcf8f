import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { PathNumbers } from '#records/blocks/column-number.js';
import { cutBlocks } from '#records/blocks/cut-blocks.js';
import { encodeBlock } from '#records/blocks/encode-block.js';
import { readStoredRow, storedColumns } from '#records/blocks/read-block.js';
import { copyOut, writeBlocks } from '../records/blocks/block-store.js';
import { rollUpAll } from './rolled.js';

/** Makes blocks of all records. */
export const makeBlocks = async (pool: Pool): Promise<void> => {
  await rollUpAll(pool);
  await pool.query(
    sql`insert into record_block_source (organization_id, product_id) select distinct organization_id, product_id from record on conflict do nothing`,
  );
  await pool.query(
    sql`insert into record_block_device (device_id) select distinct device_id from record on conflict do nothing`,
  );
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ source: number; day: number }>(sql`
      select distinct s.source, extract(epoch from date_trunc('day', r.ts, 'UTC'))::int / 86400 as day
      from record r join record_block_source s on s.organization_id = r.organization_id and s.product_id is not distinct from r.product_id`);
    for (const { source, day } of rows) await makeDay(client, source, day);
    await client.query(sql`delete from record_dirty_block`);
  } finally {
    client.release();
  }
};

const makeDay = async (client: PoolClient, source: number, day: number): Promise<void> => {
  const paths = new PathNumbers();
  const pages = copyOut(
    client,
    `select ${storedColumns('d.device')} from record r join record_block_device d using (device_id)
     join record_block_source s on s.source = ${source} and s.organization_id = r.organization_id and s.product_id is not distinct from r.product_id
     where r.ts >= to_timestamp(${day * 86_400}) and r.ts < to_timestamp(${(day + 1) * 86_400}) order by d.device, r.ts, r.seq`,
    readStoredRow,
  );
  const groups = [];
  for await (const rows of cutBlocks(pages)) groups.push(rows);
  for (const rows of groups) {
    const { rows: numbers } = await client.query<{ block: number }>(
      sql`select nextval('record_block_number')::int as block`,
    );
    await writeBlocks(client, [
      { block: numbers[0]!.block, source, day, days: 1, content: encodeBlock(rows, { paths }) },
    ]);
  }
};
