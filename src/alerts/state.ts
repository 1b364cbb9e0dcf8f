import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { namedStatement } from '#database/named-statement.js';
import { clockTolerance } from '#scheduling/clock-tolerance.js';
import type { Watch } from './rule.js';

/** The stored state of a rule for a device. Times are Unix seconds. */
export interface StoredState {
  ruleId: string;
  deviceId: string;
  since: number | null;
  heldAt: number | null;
  episodeId: string | null;
  /** Whether records of the device wait until the rule's query is answered. */
  isBehind: boolean;
}

/** Returns a key of a rule and a device. */
export const stateKey = ({ ruleId, deviceId }: { ruleId: string; deviceId: string }): string => `${ruleId}/${deviceId}`;

/** The arrival of records of a device. */
export interface Arrival {
  deviceId: string;
  /** Time of its newest record in the transaction, Unix seconds. */
  ts: number;
}

/** The last arrival of a device before a transaction. */
export interface Noted {
  /** Time of its newest record, in Unix seconds; null if none was noted. */
  ts: number | null;
  /** Time of its last arrival, in milliseconds since 1970; null if none was noted. */
  arrivedAt: number | null;
}

/**
 * Locks devices in the order of their identifiers and notes arrivals. Transactions that store records of the same
 * device pass this lock one after the other. Returns, by device, what was noted before the transaction.
 */
export async function noteArrivals(
  tx: PoolClient,
  arrivals: readonly Arrival[],
  arrivedAt: Date,
): Promise<Map<string, Noted>> {
  const beyond = new Date(arrivedAt.getTime() + clockTolerance);
  const query = sql`
    with before as (
      select device_id, arrived_at from alert_device where device_id = any(${arrivals.map(({ deviceId }) => deviceId)}::uuid[]))
    insert into alert_device as a (device_id, ts, arrived_at)
    select h.device_id, to_timestamp(h.ts), ${arrivedAt}
      from unnest(${arrivals.map(({ deviceId }) => deviceId)}::uuid[], ${arrivals.map(({ ts }) => ts)}::float8[]) h (device_id, ts)
     where exists (select from application_device l join alert_rule r
                       on r.organization_id = l.organization_id and r.application_id = l.application_id
                    where l.device_id = h.device_id and not r.disabled)
     order by h.device_id
        on conflict (device_id) do update
       set previous_ts = least(a.ts, ${beyond}), ts = greatest(least(a.ts, ${beyond}), excluded.ts),
           arrived_at = greatest(a.arrived_at, excluded.arrived_at)
    returning device_id "deviceId", extract(epoch from previous_ts)::float8 ts,
              (select extract(epoch from b.arrived_at)::float8 * 1000 from before b where b.device_id = a.device_id) "arrivedAt"`;
  const { rows } = await tx.query<Noted & { deviceId: string }>(namedStatement('alert arrivals', query));
  return new Map(rows.map(({ deviceId, ts, arrivedAt: before }) => [deviceId, { ts, arrivedAt: before }]));
}

/** Raises the times of the newest records of devices. The caller holds the locks of {@link noteArrivals}. */
export const raiseNewest = (tx: PoolClient, newest: ReadonlyMap<string, number>) =>
  tx.query(
    namedStatement(
      'alert newest',
      sql`
    update alert_device a set ts = greatest(a.ts, to_timestamp(n.ts))
      from unnest(${[...newest.keys()]}::uuid[], ${[...newest.values()]}::float8[]) n (device_id, ts)
     where a.device_id = n.device_id`,
    ),
  );

/** Reads the states of devices. The caller holds the locks of {@link noteArrivals}. */
export async function statesOf(tx: PoolClient, deviceIds: readonly string[]): Promise<StoredState[]> {
  const query = sql`
    select rule_id "ruleId", device_id "deviceId", extract(epoch from since)::float8 since,
           extract(epoch from held_at)::float8 "heldAt", episode_id "episodeId",
           exists (select from alert_undecided u where u.device_id = s.device_id and u.rule_id = s.rule_id) "isBehind"
      from alert_state s where device_id = any(${deviceIds}::uuid[])`;
  return (await tx.query<StoredState>(namedStatement('alert states', query))).rows;
}

/**
 * Locks links and rules, in this order, against unlinking and changes until the transaction ends. Returns the keys of
 * the watches whose link and rule are still as they were read. States may be written for these only.
 */
export async function lockWatches(tx: PoolClient, watches: readonly Watch[]): Promise<ReadonlySet<string>> {
  const column = <T>(of: (watch: Watch) => T) => watches.map(of);
  const links = sql`
    select l.application_id || '/' || l.device_id "link"
      from application_device l
      join (select distinct * from unnest(${column(({ applicationId }) => applicationId)}::uuid[],
                                          ${column(({ deviceId }) => deviceId)}::uuid[])) w (application_id, device_id)
        on w.application_id = l.application_id and w.device_id = l.device_id
     order by l.application_id, l.device_id for key share of l`;
  const rules = sql`
    select id, version from alert_rule where id = any(${[...new Set(column(({ ruleId }) => ruleId))]}::uuid[])
     order by id for share`;
  const [linked, ruled] = await Promise.all([
    tx.query<{ link: string }>(namedStatement('alert links', links)),
    tx.query<{ id: string; version: number }>(namedStatement('alert rules', rules)),
  ]);
  const standing = new Set(linked.rows.map(({ link }) => link));
  const versions = new Map(ruled.rows.map(({ id, version }) => [id, version]));
  return new Set(
    watches
      .filter(
        ({ ruleId, version, applicationId, deviceId }) =>
          versions.get(ruleId) === version && standing.has(`${applicationId}/${deviceId}`),
      )
      .map(stateKey),
  );
}

/** A state to write. Times are Unix seconds; `dueAt` and `arrivedAt` are dates. */
export interface NewState extends Omit<StoredState, 'isBehind'> {
  applicationId: string;
  dueAt: Date | null;
  arrivedAt: Date | null;
}

/** Writes states, in the order of devices and rules. The caller holds the locks of {@link lockWatches}. */
export async function writeStates(tx: PoolClient, states: readonly NewState[], now: Date): Promise<void> {
  if (states.length === 0) return;
  const column = <T>(of: (state: NewState) => T) => states.map(of);
  const query = sql`
    insert into alert_state as s (rule_id, application_id, device_id, since, held_at, episode_id, due_at, arrived_at, started_at)
    select n.rule_id, n.application_id, n.device_id, to_timestamp(n.since), to_timestamp(n.held_at), n.episode_id, n.due_at,
           n.arrived_at, ${now}
      from unnest(
        ${column(({ ruleId }) => ruleId)}::uuid[], ${column(({ applicationId }) => applicationId)}::uuid[],
        ${column(({ deviceId }) => deviceId)}::uuid[], ${column(({ since }) => since)}::float8[],
        ${column(({ heldAt }) => heldAt)}::float8[], ${column(({ episodeId }) => episodeId)}::uuid[],
        ${column(({ dueAt }) => dueAt)}::timestamptz[], ${column(({ arrivedAt }) => arrivedAt)}::timestamptz[]
      ) n (rule_id, application_id, device_id, since, held_at, episode_id, due_at, arrived_at)
     order by n.device_id, n.rule_id
        on conflict (device_id, rule_id) do update
       set since = excluded.since, held_at = excluded.held_at, episode_id = excluded.episode_id,
           due_at = excluded.due_at, arrived_at = coalesce(excluded.arrived_at, s.arrived_at)`;
  await tx.query(namedStatement('alert write', query));
}
