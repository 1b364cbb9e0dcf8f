import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { can, policies } from '#auth/policies.js';
import { siteRows } from '#auth/rows.js';
import { GraphOnly } from '#entities/columns.js';
import { Device } from '#entities/device.js';
import { DeviceSite } from '#entities/device-site.js';
import { Site } from '#entities/site.js';
import { atSite } from '#listing/device-filter.js';
import { deviceListing } from '#listing/devices.js';
import { listBelow } from '#listing/list.js';
import { loadById } from '#listing/loader.js';
import { readFilter, type Silence } from '#listing/silent-filter.js';
import { deviceSiteListing, siteListing, siteOfDevice } from '#listing/sites.js';
import type { Context } from '#schema/context.js';
import { PageArgs } from '#schema/list.args.js';
import { DevicePage, DeviceSitePage, SitePage } from '#schema/pages.js';
import { type SelectedFields, SelectedNames } from '#schema/selected-fields.js';
import { DevicesOfSiteArgs, SitesBelowArgs } from './site.args.js';

/** Resolves what is above and in a site. */
@Resolver(() => Site)
export class SiteEdgesResolver {
  constructor(private readonly index: Silence) {}

  @FieldResolver(() => Site, { nullable: true, description: 'Site that it is in; null for a site at the top.' })
  @GraphOnly()
  parent(@Root() { parentId }: Site, @Ctx() ctx: Context): Promise<Site | null> | null {
    return parentId == null ? null : siteById(ctx, parentId);
  }

  @FieldResolver(() => SitePage, { description: 'Sites directly in it that the caller can read.' })
  @GraphOnly()
  children(
    @Root() { id }: Site,
    @Args(() => SitesBelowArgs) args: SitesBelowArgs,
    @Ctx() ctx: Context,
  ): Promise<SitePage> {
    const listing = () => siteListing(ctx, [sql`s.parent_id = parent.id`], { kind: args.kind ?? null });
    return listBelow(ctx, 'site.children', id, listing, args);
  }

  @FieldResolver(() => DevicePage, { description: 'Devices that are there now and that the caller can read.' })
  @GraphOnly()
  async devices(
    @Root() { id }: Site,
    @Args(() => DevicesOfSiteArgs) args: DevicesOfSiteArgs,
    @Ctx() ctx: Context,
  ): Promise<DevicePage> {
    const where = [atSite(sql`parent.id`, { below: args.below === true }), can(ctx.caller, policies.device.read)];
    const filter = await readFilter(ctx, this.index, args.filter);
    const listing = () => deviceListing(ctx.caller, { where, order: sql`d.id`, filter });
    return listBelow(ctx, 'site.devices', id, listing, args);
  }
}

/** Resolves the sites of devices. */
@Resolver(() => Device)
export class DeviceSiteResolver {
  @FieldResolver(() => Site, { nullable: true, description: 'Site at which the device is; null if at none.' })
  @GraphOnly()
  site(@Root() { id }: Device, @SelectedNames() selected: SelectedFields, @Ctx() ctx: Context): Promise<Site | null> {
    return siteOfDevice(ctx, id, selected);
  }

  @FieldResolver(() => DeviceSitePage, {
    description: 'Sites at which the device is and was, the newest first.',
  })
  @GraphOnly()
  sites(@Root() { id }: Device, @Args(() => PageArgs) args: PageArgs, @Ctx() ctx: Context): Promise<DeviceSitePage> {
    return listBelow(ctx, 'device.sites', id, () => deviceSiteListing(ctx, sql`parent.id`), args);
  }
}

/** Resolves the site of a time during which a device was there. */
@Resolver(() => DeviceSite)
export class DeviceSiteEdgesResolver {
  @FieldResolver(() => Site, { nullable: true, description: 'The site.' })
  @GraphOnly()
  site(@Root() { siteId }: DeviceSite, @Ctx() ctx: Context): Promise<Site | null> {
    return siteById(ctx, siteId);
  }
}

/** Loads a site that an object refers to. All sites of a call share one statement. */
const siteById = (ctx: Context, id: string): Promise<Site | null> =>
  loadById(
    ctx,
    'site',
    id,
    (ids) => sql`${siteRows()} where s.id = any(${ids}::uuid[]) and ${can(ctx.caller, policies.site.read)}`,
  );
