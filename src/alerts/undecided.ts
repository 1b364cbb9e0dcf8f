import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { namedStatement } from '#database/named-statement.js';
import { comparedValues } from './condition.js';
import type { AlertRecord } from './decide.js';
import type { Watch } from './rule.js';

/** Records of a device, in order, for which the queries of a rule got no answer in time. */
export interface Deferred {
  watch: Watch;
  records: readonly AlertRecord[];
}

/**
 * Stores records that a rule decides later. Until then the rule's state for the device stays as it is, and later
 * records of the device wait behind them. The caller holds the locks of devices, links and rules.
 */
export async function storeDeferred(tx: PoolClient, deferred: readonly Deferred[], now: Date): Promise<void> {
  if (deferred.length === 0) return;
  const ofWatch = <T>(of: (watch: Watch) => T) => deferred.map(({ watch }) => of(watch));
  const rows = deferred.flatMap(({ watch, records }) => records.map((record) => ({ watch, record })));
  const column = <T>(of: (row: (typeof rows)[number]) => T) => rows.map(of);
  const states = sql`
    insert into alert_state (rule_id, application_id, device_id, started_at)
    select rule_id, application_id, device_id, ${now}
      from unnest(${ofWatch(({ ruleId }) => ruleId)}::uuid[], ${ofWatch(({ applicationId }) => applicationId)}::uuid[],
                  ${ofWatch(({ deviceId }) => deviceId)}::uuid[]) w (rule_id, application_id, device_id)
     order by device_id, rule_id
        on conflict do nothing`;
  const undecided = sql`
    insert into alert_undecided (device_id, rule_id, record_id, ts, product_id, data, noted_at)
    select device_id, rule_id, record_id, to_timestamp(ts), product_id, data, ${now}
      from unnest(
        ${column(({ watch }) => watch.deviceId)}::uuid[], ${column(({ watch }) => watch.ruleId)}::uuid[],
        ${column(({ record }) => record.id)}::uuid[], ${column(({ record }) => record.ts)}::float8[],
        ${column(({ record }) => record.device.product?.id ?? null)}::uuid[],
        ${column(({ watch: { when, until }, record }) => JSON.stringify(comparedValues([when, until], record.data)))}::json[]
      ) with ordinality w (device_id, rule_id, record_id, ts, product_id, data, place)
     order by place`;
  const backlog = sql`
    insert into alert_backlog (rule_id, due_at)
    select distinct rule_id, ${now}::timestamptz from unnest(${ofWatch(({ ruleId }) => ruleId)}::uuid[]) w (rule_id) order by 1
        on conflict do nothing`;
  await tx.query(namedStatement('alert undecided states', states));
  await tx.query(namedStatement('alert undecided', undecided));
  await tx.query(namedStatement('alert backlog', backlog));
}
