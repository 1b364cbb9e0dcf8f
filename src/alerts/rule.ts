import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { namedStatement } from '#database/named-statement.js';
import type { AlertCondition } from '#entities/alert-condition.js';

/** An alert rule with the fields that decisions need. Durations are seconds. */
export interface Rule {
  ruleId: string;
  /** Version of the fields that decide; each change increases it. */
  version: number;
  organizationId: string;
  applicationId: string;
  name: string;
  severity: string;
  kind: 'threshold' | 'silence' | 'unsettled';
  when: AlertCondition | null;
  until: AlertCondition | null;
  for: number;
  maxGap: number;
  closeAfter: number | null;
  silentFor: number | null;
  variable: string | null;
  unsettledFor: number | null;
  /** The one name of the state that the rule watches; null for every name. */
  stateName: string | null;
  /** Number of consecutive timeouts of its query. */
  timeouts: number;
  /** Addresses that get e-mail notices. */
  recipients: string[];
}

/** A rule together with a device that it watches. */
export interface Watch extends Rule {
  deviceId: string;
}

/** A watch with the time by which it had begun, in milliseconds since 1970. Every later arrival was noted. */
export interface Begun extends Watch {
  begunAt: number;
}

/** Select list that reads a {@link Rule} from `alert_rule`, which the statement calls `r`. */
export const ruleColumns = sql`
  r.id "ruleId", r.version, r.organization_id "organizationId", r.application_id "applicationId", r.name, r.severity, r.kind,
  r.when_condition "when", r.until_condition "until", r.for_seconds "for", r.max_gap_seconds "maxGap",
  r.close_after_seconds "closeAfter", r.silent_for_seconds "silentFor", r.variable,
  r.unsettled_for_seconds "unsettledFor", r.state_name "stateName", r.timeouts, r.recipients`;

/** Limits a rule to devices with these products and tags, at these sites or below. An empty list sets no limit. */
export interface RuleScope {
  products: readonly string[];
  tags: readonly string[];
  sites: readonly string[];
}

/** The properties of a device that {@link RuleScope} compares. */
export interface ScopedDevice {
  productId: string | null;
  tags: readonly string[];
  /** The site where the device is now, with those above it. */
  sites: readonly string[];
}

interface Link extends ScopedDevice {
  begunAt: number;
  applicationId: string;
  deviceId: string;
}

/**
 * Reads the enabled rules that watch records of these devices. It reads each rule once: with 100 rules of 200 devices, a row for
 * each pair took half the time of a transaction.
 */
export async function watchesOf(tx: PoolClient, deviceIds: readonly string[]): Promise<Begun[]> {
  const rules = sql`
    select ${ruleColumns}, r.products, r.tags, r.sites, extract(epoch from r.updated_at)::float8 * 1000 "begunAt"
      from alert_rule r
     where r.application_id in (select l.application_id from application_device l where l.device_id = any(${deviceIds}::uuid[]))
       and not r.disabled and r.kind <> 'unsettled'`;
  const links = sql`
    select l.application_id "applicationId", l.device_id "deviceId", d.product_id "productId", d.tags, coalesce(s.path::text[], '{}') sites,
           extract(epoch from greatest(l.created_at, d.updated_at))::float8 * 1000 "begunAt"
      from application_device l join device d on d.id = l.device_id
      left join device_site ds on ds.device_id = l.device_id and ds.ended_at is null left join site s on s.id = ds.site_id
     where l.device_id = any(${deviceIds}::uuid[])
       and exists (select from alert_rule r where r.application_id = l.application_id and not r.disabled)`;
  const [ruled, linked] = await Promise.all([
    tx.query<Rule & RuleScope & { begunAt: number }>(namedStatement('alert watching rules', rules)),
    tx.query<Link>(namedStatement('alert watched devices', links)),
  ]);
  const byApplication = Map.groupBy(ruled.rows, ({ applicationId }) => applicationId);
  return linked.rows.flatMap((link) =>
    (byApplication.get(link.applicationId) ?? [])
      .filter((rule) => applies(rule, link))
      .map((rule): Begun => ({ ...rule, deviceId: link.deviceId, begunAt: Math.max(rule.begunAt, link.begunAt) })),
  );
}

/** Whether a rule watches a device of its application. The database's function `alert_applies` decides the same. */
export const applies = ({ products, tags, sites }: RuleScope, device: ScopedDevice): boolean =>
  (products.length === 0 || (device.productId !== null && products.includes(device.productId))) &&
  (tags.length === 0 || tags.some((tag) => device.tags.includes(tag))) &&
  (sites.length === 0 || sites.some((site) => device.sites.includes(site)));
