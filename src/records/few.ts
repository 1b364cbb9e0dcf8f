import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { timestampOf } from './copy.js';
import type { NewRecord } from './new-record.js';

/** Up to so many records one statement is quicker than COPY, which takes three round trips and its own parsing. */
export const fewRecords = 100;

/**
 * Claims keys, stores the records whose keys are free, and notes their hours, all in one statement; answers the ids of the
 * records whose claims failed. No two of the records may have the same device and key.
 */
export const storeFew = async (
  tx: PoolClient,
  records: readonly NewRecord[],
  { now, keyHours }: { now: Date; keyHours: number },
): Promise<Set<string>> => {
  const { rows } = await tx.query<{ id: string }>({
    name: 'store-few',
    ...plain(sql`
    with item as (
      select * from jsonb_to_recordset(${JSON.stringify(records.map(rowOf))}::jsonb) as r (
        id uuid, organization_id uuid, device_id uuid, product_id uuid, ts timestamptz, metadata jsonb, data jsonb, frame jsonb,
        given jsonb, numbers float8[], texts text[], many jsonb, ignored text[], key text)
    ), claimed as (
      insert into record_key (device_id, key, record_id, stored_at)
      select device_id, key, id, ${now}::timestamptz from item where key is not null order by device_id, key
      on conflict (device_id, key) do update set record_id = excluded.record_id, stored_at = excluded.stored_at
        where record_key.stored_at <= ${now}::timestamptz - make_interval(hours => ${keyHours})
      returning record_id
    ), fresh as (
      select * from item where key is null or id in (select record_id from claimed)
    ), stored as (
      insert into record (id, organization_id, device_id, product_id, ts, metadata, data, frame, given, numbers, texts, many, ignored)
      select id, organization_id, device_id, product_id, ts, metadata, data, frame, given, numbers, texts, many, ignored
      from fresh
    ), noted as (
      insert into record_dirty (organization_id, product_id, hour)
      select distinct organization_id, product_id, date_trunc('hour', ts, 'UTC') from fresh
    )
    select id from item where key is not null and id not in (select record_id from claimed)`),
  });
  return new Set(rows.map(({ id }) => id));
};

const rowOf = ({ id, device, ts, metadata, data, frame, given, typed, key }: NewRecord) => ({
  id,
  organization_id: device.organizationId,
  device_id: device.id,
  product_id: device.product?.id,
  ts: timestampOf(ts),
  metadata,
  data,
  frame,
  given,
  ...typed,
  key,
});

const plain = ({ text, values }: { text: string; values: unknown[] }) => ({ text, values });
