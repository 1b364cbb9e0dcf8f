import type pg from 'pg';
import sql from 'sql-template-tag';
import type { UnsettledPart } from './episode.js';

/** Kinds of events about episodes. */
export type AlertEventKind = 'alert.opened' | 'alert.closed';

/** An event about an episode, for the hooks of its application. */
export interface AlertEvent {
  kind: AlertEventKind;
  organizationId: string;
  applicationId: string;
  deviceId: string;
  /** Unix seconds. */
  ts: number;
  /** Body of the call. */
  payload: object;
}

interface Row {
  id: string;
  organizationId: string;
  applicationId: string;
  deviceId: string;
  openedTs: number;
  closedTs: number | null;
  closedReason: string | null;
  openedReason: string | null;
  openedState: readonly UnsettledPart[] | null;
  openedBy: object | null;
  closedBy: object | null;
  ruleId: string;
  name: string;
  severity: string;
  serial: string | null;
  deviceName: string | null;
}

/**
 * Reads episodes as events of one kind, in the order of their identifiers. A deleted device is named as it
 * was when its episode opened.
 */
export async function eventRows(
  tx: pg.PoolClient,
  kind: AlertEventKind,
  episodeIds: readonly string[],
): Promise<AlertEvent[]> {
  const { rows } = await tx.query<Row>(sql`
    select e.id, e.organization_id "organizationId", e.application_id "applicationId", e.device_id "deviceId",
           extract(epoch from e.opened_at)::float8 "openedTs", extract(epoch from e.closed_at)::float8 "closedTs",
           e.closed_reason "closedReason", e.opened_reason "openedReason", e.opened_state "openedState", e.opened_by "openedBy", e.closed_by "closedBy", e.rule_id "ruleId",
           e.rule_name name, e.severity, coalesce(d.serial, e.device_serial) serial,
           coalesce(nullif(d.name, ''), nullif(e.device_name, '')) "deviceName"
      from episode e left join device d on d.id = e.device_id
     where e.id = any(${episodeIds}::uuid[]) order by e.id`);
  return rows.map((row) => eventOf(kind, row));
}

function eventOf(kind: AlertEventKind, row: Row): AlertEvent {
  const { id, organizationId, applicationId, deviceId, openedTs, closedTs, closedReason, serial, deviceName } = row;
  const closed =
    closedTs === null || kind === 'alert.opened'
      ? {}
      : { closedAt: closedTs, closedReason, ...(row.closedBy && { closedBy: row.closedBy }) };
  return {
    kind,
    organizationId,
    applicationId,
    deviceId,
    ts: kind === 'alert.opened' ? openedTs : (closedTs ?? openedTs),
    payload: {
      episode: {
        id,
        openedAt: openedTs,
        ...(row.openedBy && { openedBy: row.openedBy }),
        ...(row.openedReason !== null && { openedReason: row.openedReason }),
        ...(row.openedState !== null && { openedState: row.openedState.map(shownPart) }),
        ...closed,
      },
      rule: { id: row.ruleId, name: row.name, severity: row.severity },
      device: {
        id: deviceId,
        ...(serial !== null && { serial }),
        ...(deviceName !== null && { name: deviceName }),
        organizationId,
      },
      application: { id: applicationId, organizationId },
    },
  };
}

/** Formats a part of a state with its time in Unix seconds, like all times of bodies. */
const shownPart = (part: UnsettledPart) => ({ ...part, desiredAt: Date.parse(part.desiredAt) / 1000 });
