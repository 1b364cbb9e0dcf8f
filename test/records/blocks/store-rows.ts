import type pg from 'pg';
import sql from 'sql-template-tag';
import type { StoredRow } from '#records/blocks/stored-row.js';
import { writeContent } from '#records/postgres/blocks/block-rows.js';
import { CopyRows, copyIn } from '#records/postgres/log/copy.js';
import type { Fleet } from '../fleet.js';
import { dayStart } from './fleet-rows.js';

/** Stores rows in the table `stored`, which has the columns of `record` and `device`. */
export const storeRows = async (client: pg.PoolClient, stored: readonly StoredRow[]): Promise<void> => {
  const rows = new CopyRows(12);
  for (const row of stored) {
    rows.row().uuid(row.id).integer('int8', row.seq).integer('int4', row.device);
    writeContent(rows, row);
  }
  const target = 'stored (id, seq, device, ts, metadata, data, frame, given, numbers, texts, many, ignored)';
  await copyIn(client, target, rows.finish());
};

/** Stores rows as the records of a fleet's product, and notes their day as upkeep does. Needs the table `stored`. */
export const storeRecords = async (
  client: pg.PoolClient,
  { organizationId, productId }: Fleet,
  rows: readonly StoredRow[],
): Promise<void> => {
  await client.query('truncate stored');
  await storeRows(client, rows);
  const day = sql`to_timestamp(${dayStart / 1e6})`;
  await client.query(sql`select record_partition(${day}, now())`);
  await client.query(sql`
    with kept as (
      insert into record (id, seq, organization_id, device_id, product_id, ts, metadata, data, frame, given, numbers, texts, many, ignored)
      select id, seq, ${organizationId}, lpad(device::text, 32, '0')::uuid, ${productId}, ts, metadata, data, frame, given, numbers, texts, many, ignored
      from stored returning device_id
    ), noted as (
      insert into record_dirty_block (organization_id, product_id, day) values (${organizationId}, ${productId}, ${day})
    )
    insert into record_source select distinct ${organizationId}::uuid, ${productId}::uuid, device_id from kept`);
};
