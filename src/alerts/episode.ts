import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { namedStatement } from '#database/named-statement.js';
import { newId } from '#entities/id.js';
import type { Watch } from './rule.js';

/** The record at which an episode opens or closes. */
export interface ByRecord {
  recordId: string;
  /** Unix seconds. */
  ts: number;
  values: object;
}

/** A desired value that a device has not reported. */
export interface UnsettledPart {
  name: string;
  desired: unknown;
  version: number;
  /** Time at which it was set, in ISO 8601. */
  desiredAt: string;
}

/** The opening or closing of an episode. */
export interface Transition {
  kind: 'opened' | 'closed';
  episodeId: string;
  watch: Watch;
  /** Time of the opening or closing, in Unix seconds. */
  at: number;
  by: ByRecord | null;
  /** Reason for the closing. */
  reason?: string;
  /** Reason for the opening of a silence, if the device may not be at fault. */
  openedReason?: 'quota';
  /** Parts of the device's state at whose lack of a report the episode opens. */
  openedState?: readonly UnsettledPart[];
}

/** Makes the identifier of an episode. */
export const newEpisodeId = newId;

/** Stores transitions. An episode that opens and closes among them is inserted as closed. */
export async function storeTransitions(tx: PoolClient, transitions: readonly Transition[], now: Date): Promise<void> {
  const opened = transitions.filter(({ kind }) => kind === 'opened');
  const closings = new Map(
    transitions.filter(({ kind }) => kind === 'closed').map((closing) => [closing.episodeId, closing]),
  );
  const own = new Set(opened.map(({ episodeId }) => episodeId));
  // Closings come first: a rule has at most one open episode of a device.
  await close(
    tx,
    [...closings.values()].filter(({ episodeId }) => !own.has(episodeId)),
    now,
  );
  await open(tx, opened, closings, now);
}

async function open(
  tx: PoolClient,
  openings: readonly Transition[],
  closings: ReadonlyMap<string, Transition>,
  now: Date,
): Promise<void> {
  if (openings.length === 0) return;
  const column = <T>(of: (opening: Transition) => T) => openings.map(of);
  const closing = ({ episodeId }: Transition) => closings.get(episodeId);
  await tx.query(
    namedStatement(
      'alert open',
      sql`
    insert into episode (id, organization_id, application_id, rule_id, rule_name, severity, device_id, opened_at, opened_by,
                         closed_at, closed_by, closed_reason, recipients, created_at, updated_at, device_serial, device_name, opened_reason, opened_state)
    select e.id, e.organization_id, application_id, rule_id, rule_name, severity, device_id, to_timestamp(opened_at), opened_by,
           to_timestamp(closed_at), closed_by, closed_reason, array(select jsonb_array_elements_text(recipients)), ${now}, ${now},
           d.serial, d.name, opened_reason, opened_state
      from unnest(
        ${column(({ episodeId }) => episodeId)}::uuid[], ${column(({ watch }) => watch.organizationId)}::uuid[],
        ${column(({ watch }) => watch.applicationId)}::uuid[], ${column(({ watch }) => watch.ruleId)}::uuid[],
        ${column(({ watch }) => watch.name)}::text[], ${column(({ watch }) => watch.severity)}::text[],
        ${column(({ watch }) => watch.deviceId)}::uuid[], ${column(({ at }) => at)}::float8[],
        ${column(({ by }) => jsonOf(by))}::json[], ${column((opening) => closing(opening)?.at ?? null)}::float8[],
        ${column((opening) => jsonOf(closing(opening)?.by))}::json[], ${column((opening) => closing(opening)?.reason ?? null)}::text[],
        ${column(({ watch }) => JSON.stringify(watch.recipients))}::jsonb[],
        ${column(({ openedReason }) => openedReason ?? null)}::text[],
        ${column(({ openedState }) => jsonOf(openedState))}::json[]
      ) e (id, organization_id, application_id, rule_id, rule_name, severity, device_id, opened_at, opened_by, closed_at,
           closed_by, closed_reason, recipients, opened_reason, opened_state)
      left join device d on d.id = e.device_id`,
    ),
  );
}

async function close(tx: PoolClient, closings: readonly Transition[], now: Date): Promise<void> {
  if (closings.length === 0) return;
  const column = <T>(of: (closing: Transition) => T) => closings.map(of);
  await tx.query(
    namedStatement(
      'alert close',
      sql`
    update episode e set closed_at = to_timestamp(c.at), closed_by = c.by, closed_reason = c.reason, updated_at = ${now}
      from unnest(${column(({ episodeId }) => episodeId)}::uuid[], ${column(({ at }) => at)}::float8[],
                  ${column(({ by }) => jsonOf(by))}::json[], ${column(({ reason }) => reason ?? null)}::text[])
           c (id, at, by, reason)
     where e.id = c.id and e.closed_at is null`,
    ),
  );
}

const jsonOf = (value: object | null | undefined): string | null => (value == null ? null : JSON.stringify(value));
