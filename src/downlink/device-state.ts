import sql, { type Sql } from 'sql-template-tag';

/** A new value of a part of a device's state, which null takes away. */
export interface StateValue {
  name: string;
  value: unknown;
}

/** A value that a device reports, and the version of the desired value that it answers, if it names one. */
export interface Report extends StateValue {
  version?: number | null | undefined;
}

/** Selects the parts of the states of devices, with `deviceId`, in the order of their names. */
export const stateRows = (devices: Sql): Sql => sql`
  select s.device_id as "deviceId", s.name, s.desired, s.desired_version as version, s.desired_at as "desiredAt",
         s.reported, s.reported_at as "reportedAt", s.desired is null or s.settled_version = s.desired_version as settled
    from device_state s where s.device_id = any(${devices}::uuid[]) order by s.device_id, s.name collate "C"`;

/** Selects a device of which parts of the state change, with a lock: two calls together keep the limit of names. */
export const lockDevice = (id: string): Sql => sql`select from device where id = ${id} for no key update`;

/** Counts the parts of a device's state. */
export const countNames = (id: string): Sql =>
  sql`select count(*)::int as count from device_state where device_id = ${id}`;

interface DeviceKey {
  id: string;
  organizationId: string;
}

/**
 * Returns the statement that sets desired values. A version grows by one, unless the same value is desired already and
 * is either still to come, or what the device reports.
 */
export const desire = ({ id, organizationId }: DeviceKey, values: readonly StateValue[]): Sql => sql`
  insert into device_state as s (organization_id, device_id, name, desired, desired_version, desired_at)
  select ${organizationId}::uuid, ${id}::uuid, v.name, nullif(v.value, 'null'), 1, clock_timestamp()
    from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) v (name text, value jsonb)
  on conflict (device_id, name) do update set desired = excluded.desired, desired_version = s.desired_version + 1,
     desired_at = excluded.desired_at,
     settled_version = case when s.reported = excluded.desired then s.desired_version + 1 else s.settled_version end
   where s.desired is distinct from excluded.desired
      or s.settled_version = s.desired_version and s.reported is distinct from s.desired`;

/**
 * Returns the statement that stores what a device reports. It settles a desired value if the report equals it, or names
 * its version.
 */
export const report = ({ id, organizationId }: DeviceKey, reports: readonly Report[]): Sql => sql`
  insert into device_state as s (organization_id, device_id, name, reported, reported_at)
  select ${organizationId}::uuid, ${id}::uuid, v.name, nullif(v.value, 'null'), clock_timestamp()
    from jsonb_to_recordset(${JSON.stringify(reports)}::jsonb) v (name text, value jsonb)
  on conflict (device_id, name) do update set reported = excluded.reported, reported_at = excluded.reported_at,
     settled_version = case
       when s.reported is null and excluded.reported is null then s.settled_version
       when excluded.reported = s.desired then s.desired_version
       when (select v.version from jsonb_to_recordset(${JSON.stringify(reports)}::jsonb) v (name text, version int)
              where v.name = excluded.name) = s.desired_version then s.desired_version
       else s.settled_version end`;

/** A desired value of a device. Null: it was taken away. */
export interface DesiredPart {
  name: string;
  value: unknown;
  version: number;
  settled: boolean;
  /** Time at which it was set, in PostgreSQL's text form. */
  at: string;
}

/**
 * Selects what is desired of a device, in the order in which it was set: all, or what changed after a time. The lock of
 * {@link lockDevice} gives changes of a device increasing times.
 */
export const desiredParts = (deviceId: string, after: string | null): Sql => sql`
  select name, desired as value, desired_version as version, desired_at::text as at,
         desired is null or settled_version = desired_version as settled
    from device_state where device_id = ${deviceId} and desired_at > coalesce(${after}::timestamptz, '-infinity')
   order by desired_at, name collate "C"`;
