import DataLoader from 'dataloader';
import sql, { type Sql } from 'sql-template-tag';
import { isOwner, readableApplication, readableDevice, readableProduct, writableApplication } from '#auth/access.js';
import { accountRows, applicationRows, deviceRows, productRows, teamRows } from '#auth/rows.js';
import { isOpen } from '#auth/session-validity.js';
import type { Caller } from '#entities/caller.js';
import { isId } from '#entities/id.js';
import type { Node } from '#entities/node.js';
import { importRows, isWhole } from '#imports/import-row.js';
import { alertRuleRows } from '#listing/alert-rules.js';
import { tokenColumns } from '#listing/api-tokens.js';
import { auditEventRows } from '#listing/audit-events.js';
import { linkRows } from '#listing/dashboard-links.js';
import { deliveryRows } from '#listing/deliveries.js';
import { episodeRows } from '#listing/episodes.js';
import { hookRows } from '#listing/hooks.js';
import { invitationRows } from '#listing/invitations.js';
import { jobRows } from '#listing/jobs.js';
import { loadById, loaderOf } from '#listing/loader.js';
import { provisioningTokenRows } from '#listing/provisioning-tokens.js';
import { recordById } from '#listing/records.js';
import { isOwn, sessionRows } from '#listing/sessions.js';
import { userColumns } from '#listing/users.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';

type RowsOf = (caller: Caller, ids: Sql) => Sql;

/**
 * Selects, for each type of node, the rows with these identifiers that the caller can see, in the form of the type's
 * own queries.
 */
const rowsByType: Readonly<Record<string, RowsOf>> = {
  Organization: ({ organizationId }, ids) => sql`${accountRows} where o.id = any(${ids}) and o.id = ${organizationId}`,
  User: ({ organizationId }, ids) => sql`
    select ${userColumns}, m.role from account u
      left join membership m on m.user_id = u.id and m.organization_id = ${organizationId}
     where u.id = any(${ids}) and u.type = 'user' and (not u.disabled or m.user_id is not null)`,
  Team: ({ organizationId }, ids) =>
    sql`${teamRows()} where t.id = any(${ids}) and t.organization_id = ${organizationId}`,
  Product: (caller, ids) => sql`${productRows(caller)} where p.id = any(${ids}) and ${readableProduct(caller)}`,
  Device: (caller, ids) => sql`
    ${deviceRows(caller)}
     where d.id = any(${ids}) and d.organization_id = ${caller.organizationId} and ${readableDevice(caller)}`,
  Application: (caller, ids) => sql`
    ${applicationRows(caller)}
     where a.id = any(${ids}) and a.organization_id = ${caller.organizationId} and ${readableApplication(caller)}`,
  Hook: (caller, ids) => sql`
    ${hookRows()} join application a on a.id = h.application_id
     where h.id = any(${ids}) and h.organization_id = ${caller.organizationId} and ${writableApplication(caller)}`,
  AlertRule: (caller, ids) => sql`
    ${alertRuleRows()} join application a on a.id = r.application_id
     where r.id = any(${ids}) and r.organization_id = ${caller.organizationId} and ${readableApplication(caller)}`,
  Episode: (caller, ids) => sql`
    ${episodeRows()} join application a on a.id = e.application_id
     where e.id = any(${ids}) and e.organization_id = ${caller.organizationId} and ${readableApplication(caller)}`,
  AuditEvent: (caller, ids) => sql`
    ${auditEventRows()} where e.id = any(${ids}) and e.organization_id = ${caller.organizationId} and ${isOwner(caller)}`,
  Job: ({ organizationId }, ids) =>
    sql`${jobRows()} where j.id = any(${ids}) and j.organization_id = ${organizationId}`,
  ApiToken: (caller, ids) => sql`
    select ${tokenColumns} from api_token k
     where k.id = any(${ids}) and k.organization_id = ${caller.organizationId} and k.product_id is null
       and k.application_id is null and ${isOwner(caller)}`,
  DashboardLink: (caller, ids) => sql`
    ${linkRows} and k.id = any(${ids}) and k.organization_id = ${caller.organizationId} and ${isOwner(caller)}`,
  ProvisioningToken: (caller, ids) => sql`
    ${provisioningTokenRows()}
     where k.id = any(${ids}) and k.organization_id = ${caller.organizationId} and ${isOwner(caller)}`,
  Session: (caller, ids) => sql`
    ${sessionRows(caller)}
     where s.id = any(${ids}) and ${isOpen}
       and (${isOwn(caller)} or s.organization_id = ${caller.organizationId} and ${isOwner(caller)})`,
  Invitation: (caller, ids) => sql`
    ${invitationRows()}
     where i.id = any(${ids}) and i.organization_id = ${caller.organizationId} and i.expires_at > now() and ${isOwner(caller)}`,
  FileImport: (caller, ids) => sql`
    ${importRows}
     where i.id = any(${ids}) and i.organization_id = ${caller.organizationId} and ${isWhole} and ${isOwner(caller)}`,
};

/** Timeout of the search for deliveries, in milliseconds. */
const deliveryTimeout = 5000;

/** Returns a node that the caller can see, with the name of its type; null when there is none. */
export async function findNode(ctx: Context, index: Pick<RecordIndex, 'find'>, id: string): Promise<Node | null> {
  if (!isId(id)) return null;
  const named = async (type: string, found: Promise<Node | null>) => {
    const node = await found;
    return node && { ...node, __typename: type };
  };
  const found = await Promise.all([
    ...Object.entries(rowsByType).map(([type, rowsOf]) =>
      named(
        type,
        loadById(ctx, `node ${type}`, id, (ids) => rowsOf(ctx.caller, sql`${ids}::uuid[]`)),
      ),
    ),
    named('Record', recordById(ctx, index, id)),
  ]);
  return found.find((each) => each !== null) ?? named('Delivery', deliveryById(ctx, id));
}

/**
 * Finds a delivery of a hook that the caller may see. No index has deliveries by their identifier alone, so each
 * application of the caller is searched, on the pool of slow reads, and only if no other type has the identifier.
 */
function deliveryById(ctx: Context, id: string): Promise<Node | null> {
  const { caller } = ctx;
  const applications = sql`
    select a.id from application a where a.organization_id = ${caller.organizationId} and ${writableApplication(caller)}`;
  const make = () =>
    new DataLoader<string, Node | null>(async (ids) => {
      const rows = (await ctx.readWithin(
        sql`
          select delivery.* from unnest(${ids}::uuid[]) wanted(id) cross join lateral (
            ${deliveryRows} where d.id = wanted.id and d.application_id = any(array(${applications}))
               and exists (select from hook h where h.id = d.hook_id)) delivery`,
        deliveryTimeout,
      )) as Node[];
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.map((each) => byId.get(each) ?? null);
    });
  return loaderOf(ctx, 'node Delivery', make).load(id);
}
