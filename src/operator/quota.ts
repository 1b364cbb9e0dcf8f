import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import type { AuditChanges } from '#entities/audit-event.js';
import { isId } from '#entities/id.js';
import { withEvents } from './event.js';

/** Quotas of an organization; null is no limit. */
export interface QuotaValues {
  recordsPerDay: number | null;
  devices: number | null;
  storedBytes: number | null;
  commandsPerDay: number | null;
}

/** Sets the given quotas of an organization, leaves the others unchanged, and returns all of them. */
export async function setQuota(
  db: Queryable,
  organizationId: string,
  values: Partial<QuotaValues>,
): Promise<QuotaValues> {
  await requireOrganization(db, organizationId);
  const before = await readQuota(db, organizationId);
  const { recordsPerDay, devices, storedBytes, commandsPerDay } = { ...before, ...values };
  const stored = sql`
    insert into quota (organization_id, records_per_day, devices, stored_bytes, commands_per_day)
    values (${organizationId}, ${recordsPerDay}, ${devices}, ${storedBytes}, ${commandsPerDay})
    on conflict (organization_id) do update
       set records_per_day = excluded.records_per_day, devices = excluded.devices, stored_bytes = excluded.stored_bytes,
           commands_per_day = excluded.commands_per_day`;
  const changes: Record<string, AuditChanges[string]> = {};
  for (const name of Object.keys(values) as (keyof QuotaValues)[]) changes[name] = [before[name], values[name] ?? null];
  await db.query(
    withEvents(stored, {
      organizationId,
      action: 'quota set',
      target: { kind: 'quota', id: organizationId, name: null },
      changes,
    }),
  );
  return { recordsPerDay, devices, storedBytes, commandsPerDay };
}

export async function getQuota(db: Queryable, organizationId: string): Promise<QuotaValues> {
  await requireOrganization(db, organizationId);
  return readQuota(db, organizationId);
}

const readQuota = async (db: Queryable, organizationId: string): Promise<QuotaValues> => {
  const { rows } = await db.query<QuotaValues>(sql`
    select records_per_day::float8 as "recordsPerDay", devices::float8 as devices, stored_bytes::float8 as "storedBytes",
           commands_per_day::float8 as "commandsPerDay"
      from quota where organization_id = ${organizationId}`);
  return rows[0] ?? { recordsPerDay: null, devices: null, storedBytes: null, commandsPerDay: null };
};

const requireOrganization = async (db: Queryable, id: string): Promise<void> => {
  const found = isId(id) && (await db.query(sql`select from account where id = ${id} and type = 'organization'`));
  if (!found || found.rowCount !== 1) throw new Error(`There is no organization ${id}.`);
};
