import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import type { AlertCondition } from '../entities/alert-condition.js';
import { named } from '../named.js';

/** A rule and a device that it watches. */
export interface Watch {
  ruleId: string;
  version: number;
  organizationId: string;
  applicationId: string;
  deviceId: string;
  name: string;
  severity: string;
  kind: 'threshold' | 'silence';
  when: AlertCondition | null;
  until: AlertCondition | null;
  for: number;
  maxGap: number;
  closeAfter: number | null;
  silentFor: number | null;
  variable: string | null;
  timeouts: number;
  /** Addresses that are told by e-mail. */
  recipients: string[];
}

/** Rules `r` by the devices `d` that they watch, through the links `l`. */
export const watchColumns = sql`
  r.id "ruleId", r.version, r.organization_id "organizationId", r.application_id "applicationId", d.id "deviceId",
  r.name, r.severity, r.kind, r.when_condition "when", r.until_condition "until", r.for_seconds "for",
  r.max_gap_seconds "maxGap", r.close_after_seconds "closeAfter", r.silent_for_seconds "silentFor", r.variable,
  r.timeouts, r.recipients`;

/** Reads the rules that watch these devices now. */
export async function watchesOf(tx: PoolClient, deviceIds: readonly string[]): Promise<Watch[]> {
  const query = sql`
    select ${watchColumns}
      from application_device l join device d on d.id = l.device_id
      join alert_rule r on r.organization_id = l.organization_id and r.application_id = l.application_id
     where l.device_id = any(${deviceIds}::uuid[]) and not r.disabled
       and alert_applies(r.products, r.tags, d.product_id, d.tags)`;
  return (await tx.query<Watch>(named('alert watches', query))).rows;
}
