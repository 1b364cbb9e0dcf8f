import type { EntityManager } from '@mikro-orm/postgresql';
import sql, { empty, type Sql } from 'sql-template-tag';
import { loadApplication } from '#auth/access.js';
import type { Audience } from '#auth/audiences.js';
import { execute } from '#auth/execute.js';
import { isAllowed, policies } from '#auth/policies.js';
import { type ApiError, conflict, forbidden, notFound } from '#common/errors.js';
import { Hook } from '#entities/hook.js';
import { isId } from '#entities/id.js';
import { HookEventKind } from '#entities/text-enums.js';
import type { Context } from '#schema/context.js';
import type { HooksBelowArgs } from '#schema/list.args.js';
import type { HookArgs } from './identifier.args.js';
import type { Listing } from './list-read.js';

/** Selects hooks, as `h`. `also` adds columns, after a comma. */
export const hookRows = (also: Sql = empty): Sql => sql`
  select h.id, h.organization_id as "organizationId", h.application_id as "applicationId", h.url,
         h.basic_user as "basicUser", h.basic_pass as "basicPass", h.header_name as "headerName",
         h.header_value as "headerValue", h.allow_unverified_ssl_cert as "allowUnverifiedSSLCert", h.disabled,
         h.disabled_at as "disabledAt", h.disabled_reason as "disabledReason", h.concurrency,
         h.max_per_second as "maxPerSecond", h.ordered, h.events, h.filter, h.filter_disabled_at as "filterDisabledAt",
         h.filter_disabled_reason as "filterDisabledReason", h.signing_secret as "signingSecret",
         h.previous_signing_secret as "previousSigningSecret",
         h.previous_signing_secret_until as "previousSigningSecretUntil",
         h.external_id as "externalId", h.created_at as "createdAt", h.updated_at as "updatedAt"${also}
    from hook h`;

export const hookListing = (where: readonly Sql[]): Listing => ({
  rows: (_selected, also) => hookRows(also),
  from: sql`from hook h`,
  where,
  matched: [sql`h.url`],
  sortable: { id: sql`h.id`, url: sql`h.url`, createdAt: sql`h.created_at`, updatedAt: sql`h.updated_at` },
  order: sql`h.id`,
  tie: sql`h.id`,
});

/** Returns the conditions on `hook h` of a filter. An application has few hooks, so they need no index. */
export const hookConditions = ({ disabled, failing }: Pick<HooksBelowArgs, 'disabled' | 'failing'>): Sql[] => [
  ...(disabled == null ? [] : [sql`h.disabled = ${disabled}`]),
  ...(failing == null
    ? []
    : [sql`(select s.failures_in_row > 0 from hook_state s where s.hook_id = h.id) = ${failing}`]),
];

/** Loads a hook of an application. Only callers who may change the application may see its hooks (contract, section 4). */
export async function loadHook(
  ctx: Context,
  { organizationId, applicationId, applicationHookId }: HookArgs,
  audience: Audience<'application'>,
): Promise<Hook> {
  const application = await loadApplication(ctx, { organizationId, applicationId }, audience);
  if (!isId(applicationHookId)) throw notFound('hook');
  const [row] = await ctx.read<Hook>(
    sql`${hookRows()} where h.application_id = ${application.id} and h.id = ${applicationHookId}`,
  );
  if (row === undefined) throw notFound('hook');
  return ctx.em.merge(Hook, row);
}

/** Maximum number of hooks per application. */
const maxHooks = 100;

/** Locks an application against concurrent new hooks. Returns the number of hooks that it may still have. */
export async function roomForHooks(em: EntityManager, applicationId: string): Promise<number> {
  await execute(em, sql`select from application where id = ${applicationId} for no key update`);
  const [{ count } = { count: 0 }] = await execute<{ count: number }>(
    em,
    sql`select count(*)::integer as count from hook where application_id = ${applicationId}`,
  );
  return maxHooks - count;
}

/** 409: the application has the maximum number of hooks. */
export const tooManyHooks = (): ApiError => conflict(`An application has at most ${maxHooks} hooks. Delete one first.`);

const deviceEvents: ReadonlySet<string> = new Set([HookEventKind.deviceRegistered, HookEventKind.deviceDeleted]);

/**
 * Checks the chosen events. Device events concern the whole organization, so only owners may add them. A caller who may
 * change the application may keep or remove those already chosen.
 * @throws forbidden
 */
export function requireOwnerForDevices(
  { caller }: Pick<Context, 'caller'>,
  hook: Hook,
  events: readonly string[] | null | undefined,
): void {
  const chosen = events?.filter((kind) => deviceEvents.has(kind) && !hook.events.includes(kind)) ?? [];
  if (chosen.length > 0 && !isAllowed(caller, policies.hook.hearOfDevices)) {
    throw forbidden(`Only owners of the organization may select ${chosen.join(' and ')}: it concerns all devices.`);
  }
}
