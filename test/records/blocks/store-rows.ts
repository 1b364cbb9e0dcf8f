import type pg from 'pg';
import type { StoredRow } from '#records/blocks/stored-row.js';
import { CopyRows, copyIn } from '#records/postgres/log/copy.js';

/** Stores rows in the table `stored`, which has the columns of `record` and `device`. */
export const storeRows = async (client: pg.PoolClient, stored: readonly StoredRow[]): Promise<void> => {
  const rows = new CopyRows(12);
  for (const row of stored)
    rows
      .row()
      .uuid(row.id)
      .integer('int8', row.seq)
      .integer('int4', row.device)
      .time(row.ts / 1e6)
      .jsonb(row.metadata)
      .jsonb(row.data)
      .jsonb(row.frame ?? undefined)
      .jsonb(row.given ?? undefined)
      .numbers(row.numbers ?? undefined)
      .texts(row.texts ?? undefined)
      .jsonb(row.many ?? undefined)
      .texts(row.ignored ?? undefined);
  const target = 'stored (id, seq, device, ts, metadata, data, frame, given, numbers, texts, many, ignored)';
  await copyIn(client, target, rows.finish());
};
