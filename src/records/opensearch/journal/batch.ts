import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { namedStatement } from '#database/named-statement.js';
import type { NewRecord } from '#records/new-record.js';

/**
 * Notes, in the transaction that stores records, that they are to be indexed. One process makes the identifiers of one
 * transaction in sequence, so the first and the last find them. The few identifiers of other transactions in between
 * are indexed early.
 *
 * @param bytes size of the records as sent
 */
export const noteBatch = async (tx: PoolClient, records: readonly NewRecord[], bytes: number): Promise<void> => {
  const organizations = new Set<string>();
  let low = records[0]!.id;
  let high = low;
  for (const { id, device } of records) {
    organizations.add(device.organizationId);
    if (id < low) low = id;
    if (id > high) high = id;
  }
  await tx.query(
    namedStatement(
      'batch',
      sql`insert into record_batch (organizations, low, high, records, bytes)
          values (${[...organizations]}::uuid[], ${low}, ${high}, ${records.length}, ${bytes})`,
    ),
  );
};
