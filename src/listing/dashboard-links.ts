import DataLoader from 'dataloader';
import sql, { type Sql } from 'sql-template-tag';
import { targetOf } from '#audit/fields.js';
import { execute } from '#auth/execute.js';
import { conflict, notFound } from '#common/errors.js';
import type { Application } from '#entities/application.js';
import type { DashboardLink, DashboardLinkSecret } from '#entities/dashboard-link.js';
import { TokenScope } from '#entities/enums.js';
import { isId } from '#entities/id.js';
import type { Context } from '#schema/context.js';
import { makeToken } from './api-tokens.js';
import { loaderOf } from './loader.js';

/** Maximum number of links of an application. */
const most = 100;

/** Selects links, as `k`, among other tokens. */
export const linkRows: Sql = sql`
  select k.id, k.application_id as "applicationId", k.name, k.prefix, k.created_at as "createdAt",
         k.last_used_at as "lastUsedAt", k.expires_at as "expiresAt"
    from api_token k`;

/** Condition on `api_token k`: it is a link that has not ended. */
export const isLink: Sql = sql`k.application_id is not null and k.revoked_at is null`;

/** Returns the links of an application, the oldest first. All applications of a call share one statement. */
export function linksOf(ctx: Context, { id, organizationId }: Application): Promise<DashboardLink[]> {
  const make = () =>
    new DataLoader<string, DashboardLink[]>(async (ids) => {
      const rows = await ctx.read<DashboardLink>(sql`
        ${linkRows} where ${isLink} and k.organization_id = ${organizationId} and k.application_id = any(${ids}::uuid[]) order by k.id`);
      const found = Map.groupBy(rows, ({ applicationId }) => applicationId);
      return ids.map((each) => found.get(each) ?? []);
    });
  return loaderOf(ctx, 'application.dashboardLinks', make).load(id);
}

/** A new link: its name and its expiry. */
interface NewLink {
  name: string;
  expiresAt?: Date | null | undefined;
  /** Present time in milliseconds since the epoch. */
  now: number;
}

/**
 * Makes a link to the dashboard of an application.
 * @throws conflict when the application has as many links as it may have, invalid when the link would already be over.
 */
export async function makeLink(
  ctx: Context,
  application: Application,
  { name, expiresAt, now }: NewLink,
): Promise<DashboardLinkSecret> {
  const { id: applicationId, organizationId } = application;
  const { token, apiToken } = await ctx.em.transactional(async (em) => {
    // Links of one application are made one after the other, so that there are never too many.
    await execute(em, sql`select from application where id = ${applicationId} for no key update`);
    const [links] = await execute<{ count: number }>(
      em,
      sql`select count(*)::int as count from api_token k
           where k.organization_id = ${organizationId} and k.application_id = ${applicationId} and k.revoked_at is null`,
    );
    if (links!.count >= most) throw conflict(`An application has at most ${most} links: end one of them first.`);
    ctx.audit.about(targetOf('Application', application));
    return makeToken(em, { organizationId, applicationId, scope: TokenScope.read, name, expiresAt }, now);
  });
  const { id, prefix, createdAt, expiresAt: end } = apiToken;
  const link = { id, applicationId, name, prefix, createdAt, expiresAt: end ?? null };
  return { token, url: `${ctx.origin}/console/wall#${token}`, link };
}

/**
 * Ends a link for good: its next request is unauthenticated, and its subscriptions end.
 * @throws notFound when the application has no such link.
 */
export async function endLink(ctx: Context, application: Application, linkId: string): Promise<DashboardLink> {
  if (!isId(linkId)) throw notFound('link');
  const { id, organizationId } = application;
  const [link] = await ctx.read<DashboardLink>(sql`
    ${linkRows} where ${isLink} and k.id = ${linkId} and k.organization_id = ${organizationId} and k.application_id = ${id}`);
  if (link === undefined) throw notFound('link');
  await ctx.em.transactional(async (em) => {
    const [ended] = await execute(em, sql`delete from api_token where id = ${linkId} returning id`);
    // Another call ended the link meanwhile, and left the event.
    if (ended === undefined) throw notFound('link');
    ctx.audit.about(targetOf('Application', application), { name: [link.name, null] });
  });
  return link;
}
