import sql, { type Sql } from 'sql-template-tag';

/** The newest record of a device, and the device. */
export interface AheadDevice {
  recordId: string;
  /** Unix seconds. */
  ts: number;
  deviceId: string;
  serial: string;
  /** User name of the organization. */
  organization: string;
}

/** Selects devices whose newest record lies after a time, at most `limit`. */
export const devicesAhead = (after: Date, limit: number): Sql => sql`
  select r.id "recordId", extract(epoch from r.ts)::float8 ts, d.id "deviceId", d.serial, a.username organization
    from device d join account a on a.id = d.organization_id cross join lateral (
      select id, ts from record where device_id = d.id and ts > ${after} order by record.ts desc limit 1) r
   limit ${limit}`;
