import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { namedStatement } from '#database/named-statement.js';
import type { Notify } from './decide-stored.js';
import { newEpisodeId, storeTransitions, type Transition, type UnsettledPart } from './episode.js';
import { dueAfter, type Outage, outagesOf } from './outage.js';
import type { Drained } from './outbox.js';
import { ruleColumns, type Watch } from './rule.js';

/** Maximum number of states that one transaction decides. */
const atOnce = 500;

/**
 * A state that is due: a silence or a desired state without a report that may have lasted long enough, or an episode that
 * may close by itself.
 */
interface Due extends Watch {
  episodeId: string | null;
  /**
   * Time at which the last record arrived, the desired value was set or the rule's clock began, in milliseconds since 1970.
   */
  heardAt: number;
  /** Whether the organization is disabled, so that its devices cannot send. */
  isParked: boolean;
  /** Whether a quota refused records of the organization since then. */
  isRefused: boolean;
}

/** A state after the decision. */
interface Next {
  ruleId: string;
  deviceId: string;
  episodeId: string | null;
  dueAt: Date | null;
}

/** SQL condition: a state is due. */
export const isDue = (now: Date): Sql => sql`exists (select from alert_state where due_at <= ${now})`;

/**
 * Decides a batch of due states in the caller's transaction: opens an episode for a device that is silent or has not
 * reported its desired state, and closes one whose device sends no more records. States of devices that another transaction has locked are left to a later
 * poll.
 */
export async function decideDue(tx: pg.PoolClient, now: Date, notify: Notify): Promise<Drained> {
  const { rows: found } = await tx.query<{ ruleId: string; deviceId: string }>(
    namedStatement(
      'alert due',
      sql`select rule_id "ruleId", device_id "deviceId" from alert_state where due_at <= ${now} order by due_at limit ${atOnce}`,
    ),
  );
  const states = found.length === 0 ? [] : await lockDue(tx, found, now);
  if (states.length === 0) return { count: 0, after: undefined };
  const outages = await outagesOf(tx);
  const transitions: Transition[] = [];
  const next = states.map((state): Next => {
    const { dueAt, transition } = decide(state, now.getTime(), outages);
    if (transition) transitions.push(transition);
    const { ruleId, deviceId } = state;
    return { ruleId, deviceId, episodeId: episodeAfter(state, transition), dueAt };
  });
  await addUnsettled(tx, transitions);
  await storeTransitions(tx, transitions, now);
  await updateStates(tx, next);
  const after = transitions.length > 0 ? await notify(tx, transitions) : undefined;
  return { count: states.length, after };
}

const episodeAfter = ({ episodeId }: Due, transition: Transition | undefined): string | null => {
  if (transition === undefined) return episodeId;
  return transition.kind === 'opened' ? transition.episodeId : null;
};

/**
 * Locks due states and reads them again under the locks. The order is that of storing records: devices, rules, states.
 * Omits a device whose records are being stored, because it has just been heard.
 */
async function lockDue(
  tx: pg.PoolClient,
  found: readonly { ruleId: string; deviceId: string }[],
  now: Date,
): Promise<Due[]> {
  const ruleIds = found.map(({ ruleId }) => ruleId);
  const deviceIds = found.map(({ deviceId }) => deviceId);
  // A device that was never heard has no row to lock yet.
  await tx.query(sql`
    insert into alert_device (device_id, ts, arrived_at)
    select distinct s.device_id, '-infinity'::timestamptz, '-infinity'::timestamptz
      from alert_state s where s.device_id = any(${deviceIds}::uuid[])
       and not exists (select from alert_device a where a.device_id = s.device_id)
     order by 1 on conflict do nothing`);
  const devices = await tx.query<{ deviceId: string }>(sql`
    select device_id "deviceId" from alert_device where device_id = any(${deviceIds}::uuid[])
     order by device_id for update skip locked`);
  await tx.query(sql`select from alert_rule where id = any(${ruleIds}::uuid[]) order by id for share`);
  const { rows } = await tx.query<Due>(sql`
    select ${ruleColumns}, s.device_id "deviceId", s.episode_id "episodeId",
           extract(epoch from h.heard_at)::float8 * 1000 "heardAt", o.disabled "isParked",
           exists (select from quota q where q.organization_id = r.organization_id and q.refused_at > h.heard_at) "isRefused"
      from alert_state s join alert_rule r on r.id = s.rule_id join alert_device a on a.device_id = s.device_id
      join account o on o.id = r.organization_id
      cross join lateral (select case when r.kind = 'unsettled' then s.since else greatest(s.started_at, s.arrived_at,
        case when r.variable is null and a.arrived_at > '-infinity' then a.arrived_at end) end heard_at) h
     where s.device_id = any(${devices.rows.map(({ deviceId }) => deviceId)}::uuid[]) and s.rule_id = any(${ruleIds}::uuid[])
       and s.due_at <= ${now}
     order by s.device_id, s.rule_id for update of s`);
  return rows;
}

const updateStates = (tx: pg.PoolClient, states: readonly Next[]) =>
  tx.query(
    namedStatement(
      'alert decided',
      sql`
    update alert_state s set episode_id = n.episode_id, due_at = n.due_at
      from unnest(${states.map(({ ruleId }) => ruleId)}::uuid[], ${states.map(({ deviceId }) => deviceId)}::uuid[],
                  ${states.map(({ episodeId }) => episodeId)}::uuid[], ${states.map(({ dueAt }) => dueAt)}::timestamptz[])
           n (rule_id, device_id, episode_id, due_at)
     where s.device_id = n.device_id and s.rule_id = n.rule_id`,
    ),
  );

/**
 * Decides one state. A state of a disabled organization is no longer due. If its wait, without outages, is over, returns the transition; otherwise returns the time at which
 * it is due.
 */
function decide(
  state: Due,
  now: number,
  outages: readonly Outage[],
): { dueAt: Date | null; transition?: Transition | undefined } {
  // Enabling the organization starts the clock again.
  if (state.isParked) return { dueAt: null };
  const wait = { silence: state.silentFor, unsettled: state.unsettledFor, threshold: state.closeAfter }[state.kind];
  if (wait === null) return { dueAt: null };
  const due = dueAfter(state.heardAt, wait * 1000, outages);
  return due > now ? { dueAt: new Date(due) } : { dueAt: null, transition: transitionOf(state, now) };
}

/**
 * Returns the opening of a silence or of a state without a report, or the closing of an episode whose records stopped;
 * undefined if none applies.
 */
function transitionOf(state: Due, now: number): Transition | undefined {
  const { kind, episodeId } = state;
  const transition = { watch: state, at: now / 1000, by: null };
  if (kind !== 'threshold')
    return episodeId === null ? { ...transition, ...why(state), kind: 'opened', episodeId: newEpisodeId() } : undefined;
  return episodeId === null ? undefined : { ...transition, kind: 'closed', episodeId, reason: 'recordsStopped' };
}

/** Returns the reason why a device may be silent although it sends; none if nothing was refused. */
const why = ({ kind, isRefused }: Due): Pick<Transition, 'openedReason'> =>
  kind === 'silence' && isRefused ? { openedReason: 'quota' } : {};

/**
 * Adds to openings the parts of the state that their devices have not reported. The caller's locks on the states keep
 * the devices from reporting them meanwhile.
 */
async function addUnsettled(tx: pg.PoolClient, transitions: readonly Transition[]): Promise<void> {
  const openings = transitions.filter(({ watch }) => watch.kind === 'unsettled');
  if (openings.length === 0) return;
  const { rows } = await tx.query<{ parts: UnsettledPart[] | null }>(sql`
    select (select json_agg(json_build_object('name', s.name, 'desired', s.desired, 'version', s.desired_version,
                     'desiredAt', to_char(s.desired_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by s.name collate "C")
              from device_state s where s.device_id = o.device_id and s.desired is not null
               and s.settled_version <> s.desired_version and (o.name is null or s.name = o.name)) parts
      from unnest(${openings.map(({ watch }) => watch.deviceId)}::uuid[], ${openings.map(({ watch }) => watch.stateName)}::text[])
           with ordinality o (device_id, name, place) order by place`);
  openings.forEach((opening, index) => (opening.openedState = rows[index]!.parts ?? []));
}
