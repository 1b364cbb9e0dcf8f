import type { EntityManager } from '@mikro-orm/postgresql';
import sql, { empty, type Sql } from 'sql-template-tag';
import { authorize } from '#auth/access.js';
import type { Audience } from '#auth/audiences.js';
import { execute } from '#auth/execute.js';
import { type ApiError, conflict, notFound } from '#common/errors.js';
import { isId } from '#entities/id.js';
import { NetworkServer } from '#entities/network-server.js';
import type { Context } from '#schema/context.js';
import type { NetworkServerArgs } from './identifier.args.js';
import { ignoringCase } from './list.js';
import type { Listing } from './list-read.js';

/** Selects network servers, as `n`. `also` adds columns, after a comma. */
export const networkServerRows = (also: Sql = empty): Sql => sql`
  select n.id, n.organization_id as "organizationId", n.kind, n.name, n.address, n.application, n.api_key as "apiKey",
         n.proposed, n.created_at as "createdAt", n.updated_at as "updatedAt"${also}
    from network_server n`;

export const networkServerListing = (where: readonly Sql[]): Listing => ({
  rows: (_selected, also) => networkServerRows(also),
  from: sql`from network_server n`,
  where,
  matched: [sql`n.name`, sql`n.address`, sql`n.application`],
  sortable: {
    id: sql`n.id`,
    name: ignoringCase(sql`n.name`),
    kind: sql`n.kind`,
    application: ignoringCase(sql`n.application`),
    proposed: sql`n.proposed`,
    createdAt: sql`n.created_at`,
    updatedAt: sql`n.updated_at`,
  },
  order: sql`n.id`,
  tie: sql`n.id`,
});

/** Loads a network server of the caller's organization. */
export async function loadNetworkServer(
  ctx: Context,
  { organizationId, networkServerId: id }: NetworkServerArgs,
  audience: Audience<'organization'>,
): Promise<NetworkServer> {
  authorize(ctx, organizationId, audience);
  const [row] = isId(id)
    ? await ctx.read<NetworkServer>(
        sql`${networkServerRows()} where n.organization_id = ${organizationId} and n.id = ${id}`,
      )
    : [];
  if (row === undefined) throw notFound('network server');
  return ctx.em.merge(NetworkServer, row);
}

/** Maximum number of network servers of an organization, without those that uplinks proposed. */
const maxServers = 100;

/**
 * Locks an organization against concurrent new network servers.
 * @throws conflict (409) if it has the maximum number
 */
export async function requireRoomForServer(em: EntityManager, organizationId: string): Promise<void> {
  await execute(em, sql`select from account where id = ${organizationId} for no key update`);
  const [row] = await execute<{ count: number }>(
    em,
    sql`select count(*)::int as count from network_server where organization_id = ${organizationId} and not proposed`,
  );
  if (row!.count >= maxServers) throw tooManyServers();
}

const tooManyServers = (): ApiError =>
  conflict(`An organization has at most ${maxServers} network servers. Delete one first.`);
