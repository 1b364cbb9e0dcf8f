import type pg from 'pg';
import sql from 'sql-template-tag';
import { named } from '../named.js';
import { transaction } from '../transaction.js';
import type { TellTurns } from './alongside.js';
import { newEpisodeId, type Turn, writeTurns } from './episode.js';
import { beat, dueAfter, type Outage, outagesOf } from './heartbeat.js';
import type { Watch } from './rule.js';

/** States that one transaction looks at. */
const atOnce = 500;

/** Claims some of what is to be told, and stores its deliveries. Returns how many, and what is to be called after the commit. */
export type TellClaimed = (tx: pg.PoolClient) => Promise<{ count: number; after: (() => void) | undefined }>;

/** What the sweep works with. */
export interface SweepOptions {
  pool: pg.Pool;
  clock: () => number;
  tell: TellTurns;
  /** What claims and tells what triggers left to be told. */
  claims: readonly TellClaimed[];
}

interface Due extends Watch {
  episodeId: string | null;
  /** Milliseconds since 1970. */
  heardAt: number;
}

/** Notes that this process takes records in, then opens and closes what is due, and tells of closings. */
export async function sweep(options: SweepOptions): Promise<void> {
  const { pool, clock, tell, claims } = options;
  await transaction(pool, (tx) => beat(tx, new Date(clock())));
  for (;;) {
    let after: (() => void) | undefined;
    const { looked } = await transaction(pool, async (tx) => {
      const done = await sweepSome(tx, new Date(clock()), tell);
      after = done.after;
      return done;
    });
    after?.();
    if (looked < atOnce) break;
  }
  await transaction(pool, (tx) => purge(tx, new Date(clock())));
  for (const claim of claims) {
    for (;;) {
      const { count, after } = await transaction(pool, claim);
      after?.();
      if (count === 0) break;
    }
  }
}

/** Closed episodes are kept for so long after they last changed, whatever the times of their records; in milliseconds: a year and a month, so that a season can be held against the last. */
const keptFor = 400 * 86_400_000;

/** Deletes some of the episodes that closed long ago. */
const purge = (tx: pg.PoolClient, now: Date) =>
  tx.query(
    named(
      'alert purge',
      sql`
    delete from episode where id in (
      select id from episode where closed_at is not null and updated_at < ${new Date(now.getTime() - keptFor)}
       order by updated_at limit ${atOnce}
         for update skip locked)`,
    ),
  );

async function sweepSome(
  tx: pg.PoolClient,
  now: Date,
  tell: TellTurns,
): Promise<{ looked: number; after: (() => void) | undefined }> {
  const candidates = await tx.query<{ ruleId: string; deviceId: string }>(
    named(
      'alert due',
      sql`select rule_id "ruleId", device_id "deviceId" from alert_state where due_at <= ${now} order by due_at limit ${atOnce}`,
    ),
  );
  const looked = candidates.rows.length;
  if (looked === 0) return { looked, after: undefined };
  const outages = await outagesOf(tx);
  const due = await lockDue(tx, candidates.rows, now);
  const turns: Turn[] = [];
  const next = due.map((state) => {
    const { dueAt, turn } = decideDue(state, now.getTime(), outages);
    if (turn) turns.push(turn);
    const episodeId = turn === undefined ? state.episodeId : turn.kind === 'opened' ? turn.episodeId : null;
    return { ruleId: state.ruleId, deviceId: state.deviceId, episodeId, dueAt };
  });
  await writeTurns(tx, turns, now);
  await tx.query(
    named(
      'alert swept',
      sql`
    update alert_state s set episode_id = n.episode_id, due_at = n.due_at
      from unnest(${next.map(({ ruleId }) => ruleId)}::uuid[], ${next.map(({ deviceId }) => deviceId)}::uuid[],
                  ${next.map(({ episodeId }) => episodeId)}::uuid[], ${next.map(({ dueAt }) => dueAt)}::timestamptz[])
           n (rule_id, device_id, episode_id, due_at)
     where s.device_id = n.device_id and s.rule_id = n.rule_id`,
    ),
  );
  // Where other processes hold all that was looked at, the next round finds it again.
  return { looked: due.length === 0 ? 0 : looked, after: turns.length > 0 ? await tell(tx, turns) : undefined };
}

/**
 * Locks what is due, and reads it again under the locks, in the order that storing records takes them: devices, rules,
 * states. A device whose records are being stored is left out: it has just arrived.
 */
async function lockDue(
  tx: pg.PoolClient,
  candidates: readonly { ruleId: string; deviceId: string }[],
  now: Date,
): Promise<Due[]> {
  const ruleIds = candidates.map(({ ruleId }) => ruleId);
  const deviceIds = candidates.map(({ deviceId }) => deviceId);
  // A device never heard has no row to lock yet.
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
    select s.rule_id "ruleId", s.device_id "deviceId", s.episode_id "episodeId", r.version,
           r.organization_id "organizationId", r.application_id "applicationId", r.name, r.severity, r.kind,
           r.when_condition "when", r.until_condition "until", r.for_seconds "for", r.max_gap_seconds "maxGap",
           r.close_after_seconds "closeAfter", r.silent_for_seconds "silentFor", r.variable, r.timeouts, r.recipients,
           extract(epoch from greatest(s.started_at, s.arrived_at,
             case when r.variable is null and a.arrived_at > '-infinity' then a.arrived_at end))::float8 * 1000 "heardAt"
      from alert_state s join alert_rule r on r.id = s.rule_id join alert_device a on a.device_id = s.device_id
     where s.device_id = any(${devices.rows.map(({ deviceId }) => deviceId)}::uuid[]) and s.rule_id = any(${ruleIds}::uuid[])
       and s.due_at <= ${now}
     order by s.device_id, s.rule_id for update of s`);
  return rows;
}

/** Decides a state that is due: silent now, or due later. */
function decideDue(state: Due, now: number, outages: readonly Outage[]): { dueAt: Date | null; turn?: Turn } {
  const wait = state.kind === 'silence' ? state.silentFor : state.closeAfter;
  if (wait === null) return { dueAt: null };
  const due = dueAfter(state.heardAt, wait * 1000, outages);
  if (due > now) return { dueAt: new Date(due) };
  const turn = { watch: state, at: now / 1000, by: null };
  if (state.kind === 'silence') {
    if (state.episodeId !== null) return { dueAt: null };
    return { dueAt: null, turn: { ...turn, kind: 'opened', episodeId: newEpisodeId() } };
  }
  if (state.episodeId === null) return { dueAt: null };
  return { dueAt: null, turn: { ...turn, kind: 'closed', episodeId: state.episodeId, reason: 'recordsStopped' } };
}
