import type { EntityManager } from '@mikro-orm/postgresql';
import sql from 'sql-template-tag';
import { execute } from '#auth/execute.js';
import { type ApiError, conflict, invalid } from '#common/errors.js';

/** Maximum number of sites of an organization. */
const maxSites = 10_000;
/** Maximum number of levels of the tree. */
export const maxLevels = 8;

/**
 * Locks the tree of an organization until the end of the transaction, and returns how many more sites it may have.
 * Every transaction that creates, moves or deletes sites does so before it reads the tree. Otherwise two moves at once
 * could put each site below the other, or make nine levels, although each is right by itself.
 */
export async function lockTree(em: EntityManager, organizationId: string): Promise<number> {
  await execute(em, sql`select pg_advisory_xact_lock(hashtextextended(${`sites ${organizationId}`}, 0))`);
  const [counted] = await execute<{ count: number }>(
    em,
    sql`select count(*)::int as count from site where organization_id = ${organizationId}`,
  );
  return maxSites - counted!.count;
}

/** 409: the organization has the maximum number of sites. */
export const tooManySites = (): ApiError =>
  conflict(`An organization has at most ${maxSites.toLocaleString('en')} sites. Delete one first.`);

/** 422: the site would be below itself. */
export const inItself = (path: string): ApiError =>
  invalid([{ path, message: 'must not be the site itself, or a site below it' }]);

/** 422: the tree would have too many levels. */
export const tooDeep = (path: string): ApiError =>
  invalid([{ path, message: `would give the tree more than ${maxLevels} levels` }]);

/**
 * Corrects the paths of sites whose parents, or the parents of sites above them, have changed. The transaction holds
 * the lock of the tree.
 */
export const correctPaths = (em: EntityManager, organizationId: string): Promise<unknown> =>
  execute(
    em,
    sql`
    with recursive tree (id, path) as (
      select id, array[id] from site where organization_id = ${organizationId} and parent_id is null
      union all
      select s.id, tree.path || s.id from tree join site s on s.organization_id = ${organizationId} and s.parent_id = tree.id)
    update site s set path = tree.path from tree where s.id = tree.id and s.path <> tree.path`,
  );
