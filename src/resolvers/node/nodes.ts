import DataLoader from 'dataloader';
import sql, { empty, type Sql } from 'sql-template-tag';
import type { Audience } from '#auth/audiences.js';
import { can, policies } from '#auth/policies.js';
import { accountRows, applicationRows, deviceRows, productRows, siteRows, teamRows } from '#auth/rows.js';
import { isOpen } from '#auth/session-validity.js';
import type { Caller } from '#entities/caller.js';
import { isId } from '#entities/id.js';
import type { Node } from '#entities/node.js';
import { importRows, isWhole } from '#imports/import-row.js';
import { alertRuleRows } from '#listing/alert-rules.js';
import { tokenColumns } from '#listing/api-tokens.js';
import { auditEventRows } from '#listing/audit-events.js';
import { canReadCommand, commandRows } from '#listing/commands.js';
import { isLink, linkRows } from '#listing/dashboard-links.js';
import { deliveryRows } from '#listing/deliveries.js';
import { episodeRows } from '#listing/episodes.js';
import { hookRows } from '#listing/hooks.js';
import { invitationRows } from '#listing/invitations.js';
import { jobRows } from '#listing/jobs.js';
import { loadById, loaderOf } from '#listing/loader.js';
import { networkServerRows } from '#listing/network-servers.js';
import { provisioningTokenRows } from '#listing/provisioning-tokens.js';
import { recordById } from '#listing/records.js';
import { sessionRows } from '#listing/sessions.js';
import { userColumns } from '#listing/users.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';

type RowsOf = (caller: Caller, ids: Sql) => Sql;

/**
 * Creates the selection of things of the caller's organization that an audience may read.
 * @param rows selects the things as `alias`, in the form of their own queries
 * @param also a further condition
 */
const owned =
  (alias: Sql, rows: (caller: Caller) => Sql, audience: Audience, also?: Sql): RowsOf =>
  (caller, ids) =>
    sql`
    ${rows(caller)} where ${alias}.id = any(${ids}) and ${alias}.organization_id = ${caller.organizationId}
      ${also === undefined ? empty : sql`and ${also}`} and ${can(caller, audience)}`;

/** Adds the application, as `a`, to things that belong to one. */
const withApplication = (alias: Sql, rows: Sql): Sql =>
  sql`${rows} join application a on a.id = ${alias}.application_id`;

const [episode, hook, rule, token] = [sql`e`, sql`h`, sql`r`, sql`k`];

/** Selects, for each type of node, the rows with these identifiers that the caller can see. */
const rowsByType: Readonly<Record<string, RowsOf>> = {
  Organization: ({ organizationId }, ids) => sql`${accountRows} where o.id = any(${ids}) and o.id = ${organizationId}`,
  User: ({ organizationId }, ids) => sql`
    select ${userColumns}, m.role from account u
      left join membership m on m.user_id = u.id and m.organization_id = ${organizationId}
     where u.id = any(${ids}) and u.type = 'user' and (not u.disabled or m.user_id is not null)`,
  Team: owned(sql`t`, () => teamRows(), policies.team.read),
  Product: (caller, ids) =>
    sql`${productRows(caller)} where p.id = any(${ids}) and ${can(caller, policies.product.read)}`,
  Device: owned(sql`d`, deviceRows, policies.device.read),
  Site: owned(sql`s`, () => siteRows(), policies.site.read),
  Application: owned(sql`a`, applicationRows, policies.application.read),
  Hook: owned(hook, () => withApplication(hook, hookRows()), policies.hook.read),
  AlertRule: owned(rule, () => withApplication(rule, alertRuleRows()), policies.alertRule.read),
  Episode: owned(episode, () => withApplication(episode, episodeRows()), policies.episode.read),
  Command: (caller, ids) => sql`
    ${commandRows(caller)} where c.id = any(${ids}) and c.organization_id = ${caller.organizationId} and ${canReadCommand(caller)}`,
  AuditEvent: owned(sql`e`, () => auditEventRows(), policies.auditEvent.read),
  Job: owned(sql`j`, () => jobRows(), policies.job.read),
  ApiToken: owned(
    token,
    () => sql`select ${tokenColumns} from api_token k`,
    policies.apiToken.read,
    sql`k.product_id is null and k.application_id is null`,
  ),
  DashboardLink: owned(token, () => linkRows, policies.dashboardLink.read, isLink),
  NetworkServer: owned(sql`n`, () => networkServerRows(), policies.networkServer.read),
  ProvisioningToken: owned(token, () => provisioningTokenRows(), policies.provisioningToken.read),
  Session: (caller, ids) => sql`
    ${sessionRows(caller)}
     where s.id = any(${ids}) and ${isOpen} and (${can(caller, policies.ownSession.read)}
        or s.organization_id = ${caller.organizationId} and ${can(caller, policies.session.read)})`,
  Invitation: owned(sql`i`, () => invitationRows(), policies.invitation.read, sql`i.expires_at > now()`),
  FileImport: owned(sql`i`, () => importRows, policies.fileImport.read, isWhole),
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
    select a.id from application a where a.organization_id = ${caller.organizationId} and ${can(caller, policies.delivery.read)}`;
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
