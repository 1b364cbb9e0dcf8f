import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import type { PlainJson } from '#json/json.js';
import type { DeviceRange, DevicesRange, ScannedPage, StoredRecords } from '#records/record-log.js';
import type { RecordDevice } from '#records/stored-record.js';
import { type After, countDocuments, measured, readPage, type StoredDocument } from '../stored-document.js';
import type { ClusterLogOptions } from './options.js';

/** Number of records of one page. */
const pageSize = 1000;
/** Maximum number of devices of one count. */
const devicesAtOnce = 10_000;

/**
 * Creates the operations that read and count the records of devices in the index. They first wait until the index has
 * everything that was stored before.
 */
export const createScan = ({
  client,
  names,
  fresh,
}: ClusterLogOptions): Pick<StoredRecords, 'scan' | 'count' | 'countAll'> => ({
  async scan(tx, { deviceId, from, to }: DeviceRange, after: PlainJson): Promise<ScannedPage> {
    const organizationId = (await organizationsOf(tx, [deviceId]))[0];
    if (organizationId === undefined) return { records: [] };
    await fresh(organizationId);
    const { documents, next } = await readPage(client, {
      index: names.between(from, to),
      routing: organizationId,
      query: { bool: { filter: [{ term: { d: deviceId } }, measured(from, to)] } },
      sort: ['us', 'seq'],
      size: pageSize,
      after: (after as After | null) ?? undefined,
    });
    const devices = await devicesOf(tx, documents);
    return {
      records: documents.flatMap(({ id, us, source: { metadata, data }, productId }) => {
        const device = devices.get(productId ?? '');
        return device ? [{ id, ts: us / 1e6, metadata, data, device }] : [];
      }),
      ...(next && { next: [...next] }),
    };
  },
  async count(tx, { deviceIds, from, to }: DevicesRange): Promise<number> {
    for (const organizationId of await organizationsOf(tx, deviceIds)) await fresh(organizationId);
    let total = 0;
    for (let start = 0; start < deviceIds.length; start += devicesAtOnce) {
      const some = deviceIds.slice(start, start + devicesAtOnce);
      const query = { bool: { filter: [{ terms: { d: some } }, measured(from, to)] } };
      total += await countDocuments(client, names.between(from, to), query);
    }
    return total;
  },
  countAll: (organizationId) => countDocuments(client, names.between(null, null), { term: { o: organizationId } }),
});

const organizationsOf = async (tx: PoolClient, deviceIds: readonly string[]): Promise<string[]> => {
  const { rows } = await tx.query<{ id: string }>(
    sql`select distinct organization_id as id from device where id = any(${deviceIds}::uuid[])`,
  );
  return rows.map(({ id }) => id);
};

/**
 * Loads the current device of a page's records, by the record's product. The key is '' without a product, or with a
 * deleted one.
 */
const devicesOf = async (
  tx: PoolClient,
  documents: readonly StoredDocument[],
): Promise<ReadonlyMap<string, RecordDevice>> => {
  const [first] = documents;
  if (!first) return new Map();
  const products = [...new Set(documents.map(({ productId }) => productId))];
  const { rows } = await tx.query<{ key: string; device: RecordDevice }>(sql`
    select coalesce(w.id::text, '') as key,
           json_strip_nulls(json_build_object('id', d.id, 'serial', d.serial, 'organizationId', d.organization_id,
             'product', case when p.id is not null then json_build_object('id', p.id, 'organizationId', p.organization_id) end,
             'location', case when d.lat is not null then json_build_object('lat', d.lat, 'lon', d.lon) end)) as device
      from device d cross join unnest(${products}::uuid[]) w (id) left join product p on p.id = w.id
     where d.id = ${first.deviceId}`);
  return new Map(rows.map(({ key, device }) => [key, device]));
};
