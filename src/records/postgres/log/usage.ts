import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { uuids } from '#database/binary.js';
import { namedStatement } from '#database/named-statement.js';
import type { NewRecord } from '#records/new-record.js';

/** Records of one device under one product. */
interface Part {
  organizationId: string;
  productId: string | undefined;
  deviceId: string;
  records: number;
  bytes: number;
}

/**
 * Notes the number and size of records for the usage of their organization, product and applications, in the
 * transaction that stores them. It inserts one row per product, which no other transaction writes. `sizes` holds the
 * bytes of each record.
 */
export const noteUsage = async (
  tx: PoolClient,
  records: readonly NewRecord[],
  sizes: readonly number[],
  now: Date,
): Promise<void> => {
  const parts = partsOf(records, sizes);
  const column = <T>(of: (part: Part) => T) => parts.map(of);
  await tx.query(
    namedStatement(
      'usage',
      sql`
      insert into usage_delta (at, organization_id, product_id, records, bytes, device_ids, device_records, device_bytes)
      select ${now}::timestamptz, organization_id, product_id, sum(records), sum(bytes), array_agg(device_id), array_agg(records), array_agg(bytes)
        from unnest(
          ${uuids(column(({ organizationId }) => organizationId))}::uuid[],
          ${uuids(column(({ productId }) => productId))}::uuid[],
          ${uuids(column(({ deviceId }) => deviceId))}::uuid[],
          ${column(({ records }) => records)}::int[],
          ${column(({ bytes }) => bytes)}::bigint[]) p (organization_id, product_id, device_id, records, bytes)
       group by organization_id, product_id`,
    ),
  );
};

const partsOf = (records: readonly NewRecord[], sizes: readonly number[]): Part[] => {
  // If the product of a device changes meanwhile, the calls of one transaction may have seen both products.
  const parts = new Map<string, Part>();
  for (const [index, { device }] of records.entries()) {
    const productId = device.product?.id;
    const key = `${device.id} ${productId}`;
    const part = parts.get(key);
    if (part === undefined)
      parts.set(key, {
        organizationId: device.organizationId,
        productId,
        deviceId: device.id,
        records: 1,
        bytes: sizes[index]!,
      });
    else {
      part.records++;
      part.bytes += sizes[index]!;
    }
  }
  return [...parts.values()];
};
