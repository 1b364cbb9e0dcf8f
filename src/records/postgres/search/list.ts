import sql, { empty, Sql } from 'sql-template-tag';
import type { CallReads } from '#database/call-read.js';
import type { DeviceRecord } from '#entities/record.js';
import type { RecordIndex } from '#records/record-index.js';
import { hasAlone, newestAlone, recordsAt } from '../alone-record.js';
import { newestAt, orderTimeSql } from '../newest-field.js';
import { listedColumns } from './record-page.js';

/** Creates the read of records by identifier. */
export const createFind =
  ({ read }: CallReads): RecordIndex['find'] =>
  (call, ids) =>
    read<DeviceRecord>(
      call,
      sql`
      select ${listedColumns} from (
        select id, seq, device_id, product_id, ts, metadata, data, frame from record where id = any(${ids}::uuid[])
        union all
        select id, seq, device_id, product_id, ts, metadata, data, frame
          from ${recordsAt(
            sql`(select * from record_block_find(${call.caller.organizationId}, ${ids}::uuid[], null) where ${hasAlone(call.caller.organizationId)})`,
            ['metadata', 'data', 'frame'],
          )} b) r join device d on d.id = r.device_id
       where d.organization_id = ${call.caller.organizationId}`,
    );

/**
 * Creates the read of the horizon. The sequence may be ahead of committed records, so records stored at this moment may
 * be included or not.
 */
export const createHorizon =
  ({ read }: CallReads): RecordIndex['horizon'] =>
  async (call) => {
    const [row] = await read<{ last: string }>(call, sql`select last_value::text as last from record_seq`);
    return row!.last;
  };

/** Creates the read of each device's newest record time, from the end of the device's index. */
export const createNewestTimes =
  ({ readWithin }: CallReads): RecordIndex['newestTimes'] =>
  async (call, deviceIds, timeoutMs) => {
    const times = sql`
      select w.id, (${newestAt(sql`w.id`, empty, hasAlone(call.caller.organizationId))})::timestamptz(3) as ts
        from unnest(${deviceIds}::uuid[]) w (id)`;
    const rows = (await readWithin(call, times, timeoutMs)) as { id: string; ts: string | null }[];
    return new Map(rows.flatMap(({ id, ts }) => (ts === null ? [] : [[id, ts]])));
  };

/**
 * Creates the search for devices without a record since a time. It uses a subquery, so that each device costs one
 * lookup in the index of its newest records. For an anti-join, PostgreSQL may read all records since that time. Records
 * lie at most a day ahead, partitions further.
 */
export const createSilentDevices =
  ({ readWithin }: CallReads): RecordIndex['silentDevices'] =>
  async (call, devices, since, timeoutMs) => {
    const isStatement = devices instanceof Sql;
    const start = sql`to_timestamp(${since}::float8)`;
    const silent = sql`
      select w.id from ${isStatement ? sql`(${devices}) w` : sql`unnest(${devices}::uuid[]) with ordinality w (id, position)`}
       where case
               when (select r.ts from record r where r.device_id = w.id and r.ts >= ${start} and r.ts <= now() + interval '25 hours'
                 and ${orderTimeSql(sql`r.id`, sql`r.ts`)} >= ${start} order by r.ts desc limit 1) is not null then false
               when ${hasAlone(call.caller.organizationId)}
                 then not exists (select from ${newestAlone({ deviceId: sql`w.id`, from: start })} n where n.order_ts >= ${start})
               else true end
       ${isStatement ? empty : sql`order by w.position`}`;
    return ((await readWithin(call, silent, timeoutMs)) as { id: string }[]).map(({ id }) => id);
  };
