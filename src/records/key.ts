import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import type { NewRecord } from './new-record.js';

const keyHours = 48;

/**
 * Claims the keys of records: gives, by record id, the record that each duplicate repeats. A key that another transaction is
 * claiming is waited for; the order of claims keeps two of them from waiting for each other.
 */
export const claimKeys = async (
  tx: PoolClient,
  records: readonly NewRecord[],
  now: Date,
): Promise<ReadonlyMap<string, string>> => {
  const first = new Map<string, NewRecord>();
  const duplicates = new Map<string, string>();
  for (const record of records) {
    if (record.key === undefined) continue;
    const name = nameOf(record.device.id, record.key);
    const earlier = first.get(name);
    if (earlier) duplicates.set(record.id, earlier.id);
    else first.set(name, record);
  }
  const claims = [...first.values()];
  if (claims.length === 0) return duplicates;
  const devices = claims.map(({ device }) => device.id);
  const keys = claims.map(({ key }) => key);
  const { rowCount } = await tx.query(sql`
    insert into record_key (device_id, key, record_id, stored_at)
    select *, ${now}::timestamptz from unnest(${devices}::uuid[], ${keys}::text[], ${claims.map(({ id }) => id)}::uuid[]) w (device_id, key)
    order by device_id, key
    on conflict (device_id, key) do update set record_id = excluded.record_id, stored_at = excluded.stored_at
      where record_key.stored_at <= ${now}::timestamptz - make_interval(hours => ${keyHours})`);
  if (rowCount === claims.length) return duplicates;
  const { rows } = await tx.query<{ device_id: string; key: string; record_id: string }>(sql`
    select device_id, key, record_id
    from record_key join unnest(${devices}::uuid[], ${keys}::text[]) w (device_id, key) using (device_id, key)`);
  const holders = new Map(rows.map((row) => [nameOf(row.device_id, row.key), row.record_id]));
  for (const [name, record] of first) {
    const holder = holders.get(name);
    if (holder !== undefined && holder !== record.id) duplicates.set(record.id, holder);
  }
  // A repetition within the call follows its first to the record that both repeat.
  for (const [id, repeated] of duplicates) duplicates.set(id, duplicates.get(repeated) ?? repeated);
  return duplicates;
};

const nameOf = (deviceId: string, key: string): string => `${deviceId}/${key}`;
