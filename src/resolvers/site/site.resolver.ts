import type { EntityManager } from '@mikro-orm/postgresql';
import sql, { type Sql } from 'sql-template-tag';
import { Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { authorize, loadDevice, loadSite } from '#auth/access.js';
import { execute } from '#auth/execute.js';
import { can, policies } from '#auth/policies.js';
import { conflict } from '#common/errors.js';
import { newId } from '#entities/id.js';
import { Site } from '#entities/site.js';
import { atSite } from '#listing/device-filter.js';
import { deviceListing } from '#listing/devices.js';
import { SiteArgs } from '#listing/identifier.args.js';
import { list } from '#listing/list.js';
import { deviceSiteListing, siteListing } from '#listing/sites.js';
import type { Context } from '#schema/context.js';
import { DevicePage, DeviceSitePage, SitePage } from '#schema/pages.js';
import { requireZone } from '#search/date/zone.js';
import {
  CreateSiteArgs,
  DeleteSiteArgs,
  DeviceSitesArgs,
  SiteContents,
  SiteDevicesArgs,
  SitesArgs,
  UpdateSiteArgs,
} from './site.args.js';
import { inItself, lockTree, maxLevels, tooDeep, tooManySites } from './site-tree.js';

/** Resolves the sites of organizations. */
@Resolver(() => Site)
export class SiteResolver {
  @Query(() => SitePage, {
    description:
      'The sites of the organization that the caller can read: those with a device that the caller can read, and the sites above them. Owners read all.',
  })
  sites(@Args(() => SitesArgs) args: SitesArgs, @Ctx() ctx: Context): Promise<SitePage> {
    authorize(ctx, args.organizationId, policies.organization.read);
    return list<Site>(ctx, siteListing(ctx, [sql`s.organization_id = ${args.organizationId}`], args), args);
  }

  @Query(() => Site, { description: 'A site.' })
  site(@Args(() => SiteArgs) args: SiteArgs, @Ctx() ctx: Context): Promise<Site> {
    return loadSite(ctx, args, policies.site.read);
  }

  @Query(() => DevicePage, { description: 'The devices that are at a site now and that the caller can read.' })
  async siteDevices(@Args(() => SiteDevicesArgs) args: SiteDevicesArgs, @Ctx() ctx: Context): Promise<DevicePage> {
    const site = await loadSite(ctx, args, policies.site.read);
    const here = atSite(sql`${site.id}::uuid`, { below: args.below === true });
    const where = [sql`d.organization_id = ${site.organizationId}`, here, can(ctx.caller, policies.device.read)];
    return list(ctx, deviceListing(ctx.caller, { where, order: sql`d.id` }), args);
  }

  @Query(() => DeviceSitePage, { description: 'The sites at which a device is and was, the newest first.' })
  async deviceSites(@Args(() => DeviceSitesArgs) args: DeviceSitesArgs, @Ctx() ctx: Context): Promise<DeviceSitePage> {
    const { id } = await loadDevice(ctx, args, policies.device.read);
    return list(ctx, deviceSiteListing(ctx, sql`${id}::uuid`), args);
  }

  @Mutation(() => Site, {
    description: 'Creates a site. An organization has at most 10,000 sites in a tree of at most eight levels.',
  })
  async createSite(@Args(() => CreateSiteArgs) args: CreateSiteArgs, @Ctx() ctx: Context): Promise<Site> {
    const { organizationId, parentId = null, timeZone } = args;
    authorize(ctx, organizationId, policies.site.change);
    if (timeZone != null) requireZone(timeZone);
    const site = Object.assign(new Site(), { id: newId(), organizationId }).change(args);
    await ctx.em.transactional(async (em) => {
      if ((await lockTree(em, organizationId)) <= 0) throw tooManySites();
      const parent =
        parentId === null ? null : await loadSite(ctx, { organizationId, siteId: parentId }, policies.site.read);
      if (parent !== null && parent.path.length >= maxLevels) throw tooDeep('parentId');
      em.persist(site.place(parent));
    });
    return site;
  }

  @Mutation(() => Site, {
    description: 'Changes a site. With another parent it moves together with the sites below it and their devices.',
  })
  async updateSite(@Args(() => UpdateSiteArgs) args: UpdateSiteArgs, @Ctx() ctx: Context): Promise<Site> {
    await loadSite(ctx, args, policies.site.change);
    if (args.timeZone != null) requireZone(args.timeZone);
    return ctx.em.transactional(async (em) => {
      await lockTree(em, args.organizationId);
      // Read again: its path may have changed before the lock.
      const site = await loadSite(ctx, args, policies.site.change);
      const before = site.path;
      site.change(args);
      if (args.parentId !== undefined && args.parentId !== site.parentId) await place(ctx, em, site, args.parentId);
      await em.flush();
      await movePaths(em, site, before);
      return site;
    });
  }

  @Mutation(() => Site, {
    description:
      'Deletes a site. The times that devices were at it count for the site above from then on; those of a site at the top are deleted.',
  })
  async deleteSite(@Args(() => DeleteSiteArgs) args: DeleteSiteArgs, @Ctx() ctx: Context): Promise<Site> {
    const contents = args.contents ?? SiteContents.refuse;
    await loadSite(ctx, args, policies.site.change);
    return ctx.em.transactional(async (em) => {
      await lockTree(em, args.organizationId);
      const site = await loadSite(ctx, args, policies.site.change);
      // A call that moves a device here has locked the site, and commits before this one continues.
      await execute(em, sql`select from site where id = ${site.id} for update`);
      if (contents === SiteContents.refuse) await requireEmpty(em, site);
      if (contents === SiteContents.moveUp) await liftSites(em, site);
      if (contents === SiteContents.deleteSites) await deleteBelow(em, site);
      else await giveUp(em, site, sql`${site.id}`);
      em.remove(site);
      return site;
    });
  }
}

/** Puts a site below another, or at the top, if the tree allows it. */
async function place(ctx: Context, em: EntityManager, site: Site, parentId: string | null): Promise<void> {
  const { id, organizationId, path } = site;
  const parent =
    parentId === null ? null : await loadSite(ctx, { organizationId, siteId: parentId }, policies.site.read);
  if (parent?.path.includes(id)) throw inItself('parentId');
  const [deepest] = await execute<{ levels: number }>(
    em,
    sql`select max(cardinality(path)) - ${path.length}::int as levels from site where path @> array[${id}::uuid]`,
  );
  if ((parent?.path.length ?? 0) + 1 + deepest!.levels > maxLevels) throw tooDeep('parentId');
  site.place(parent);
}

/** Moves all sites below one that has moved. */
async function movePaths(em: EntityManager, { id, path }: Site, before: readonly string[]): Promise<void> {
  if (path.join() === before.join()) return;
  await execute(
    em,
    sql`update site set path = ${`{${path.join()}}`}::uuid[] || path[${before.length + 1}::int:]
         where path @> array[${id}::uuid] and id <> ${id}`,
  );
}

/** @throws conflict (409) when sites or devices are in a site */
async function requireEmpty(em: EntityManager, { id, organizationId }: Site): Promise<void> {
  const [count] = await execute<{ sites: number; devices: number }>(
    em,
    sql`select (select count(*)::int from site where organization_id = ${organizationId} and parent_id = ${id}) as sites,
               (select count(*)::int from device_site where site_id = ${id} and ended_at is null) as devices`,
  );
  const { sites, devices } = count!;
  if (sites + devices === 0) return;
  throw conflict(
    `${sites} sites and ${devices} devices are in this site: move them first, or say what becomes of them (contents).`,
  );
}

/** Puts the sites in a site one level up. */
const liftSites = (em: EntityManager, { id, parentId }: Site): Promise<unknown> =>
  execute(
    em,
    sql`update site set parent_id = case when parent_id = ${id} then ${parentId}::uuid else parent_id end,
               path = array_remove(path, ${id}::uuid)
         where path @> array[${id}::uuid] and id <> ${id}`,
  );

/** Deletes the sites below one. */
async function deleteBelow(em: EntityManager, site: Site): Promise<void> {
  const below = sql`select id from site where path @> array[${site.id}::uuid]`;
  await execute(em, sql`${below} order by id for update`);
  await giveUp(em, site, below);
  await execute(em, sql`delete from site where id in (${below}) and id <> ${site.id}`);
}

/**
 * Lets the site above have the times that devices were at some sites, so that its sums over the past stay as they are.
 * @param sites SQL that selects the identifiers
 */
async function giveUp(em: EntityManager, { parentId }: Site, sites: Sql): Promise<void> {
  if (parentId !== null)
    await execute(em, sql`update device_site set site_id = ${parentId} where site_id in (${sites})`);
}
