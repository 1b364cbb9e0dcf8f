import DataLoader from 'dataloader';
import sql, { empty, type Sql } from 'sql-template-tag';
import { isOwner } from '#auth/audiences.js';
import { can, policies } from '#auth/policies.js';
import { siteRows } from '#auth/rows.js';
import type { Caller } from '#entities/caller.js';
import { isId, nilId } from '#entities/id.js';
import type { Site } from '#entities/site.js';
import type { Context } from '#schema/context.js';
import type { SelectedFields } from '#schema/selected-fields.js';
import { filterTimeout } from './device-filter.js';
import { ignoringCase } from './list.js';
import type { Listing } from './list-read.js';
import { loaderOf } from './loader.js';

/** Conditions on the sites of a list. */
export interface SiteFilter {
  parentId?: string | null;
  top?: boolean | null;
  kind?: string | null;
}

/** Gives a list of sites a deadline, unless the caller reads all sites: it may have to read all devices of the caller. */
const slowly = (caller: Caller) => (isOwner(caller) ? {} : { timeout: filterTimeout });

/** Defines a list of the sites, as `s`, that the caller can read. */
export const siteListing = (
  { caller }: Pick<Context, 'caller'>,
  where: readonly Sql[],
  { parentId, top, kind }: SiteFilter = {},
): Listing => ({
  rows: siteRows,
  from: sql`from site s`,
  where: [
    ...where,
    // An invalid identifier matches nothing, like the nil identifier.
    ...(parentId == null ? [] : [sql`s.parent_id = ${isId(parentId) ? parentId : nilId}::uuid`]),
    ...(top === true ? [sql`s.parent_id is null`] : []),
    ...(kind == null ? [] : [sql`s.kind = ${kind}`]),
    can(caller, policies.site.read),
  ],
  ...slowly(caller),
  matched: [sql`s.name`, sql`s.kind`, sql`s.external_id`],
  sortable: {
    id: sql`s.id`,
    name: ignoringCase(sql`s.name`),
    kind: ignoringCase(sql`s.kind`),
    createdAt: sql`s.created_at`,
    updatedAt: sql`s.updated_at`,
  },
  order: sql`s.id`,
  tie: sql`s.id`,
});

/**
 * Returns the present site of a device that the caller can read; null if there is none. Whoever reads the device may
 * read its site.
 */
export const siteOfDevice = (ctx: Context, deviceId: string, selected: SelectedFields): Promise<Site | null> => {
  const make = () =>
    new DataLoader<string, Site | null>(async (ids) => {
      const rows = await ctx.read<Site & { deviceId: string }>(sql`
        ${siteRows(selected, sql`, ds.device_id as "deviceId"`)} join device_site ds on ds.site_id = s.id
         where ds.device_id = any(${ids}::uuid[]) and ds.ended_at is null`);
      const sites = new Map(rows.map(({ deviceId: id, ...site }) => [id, site as Site]));
      return ids.map((id) => sites.get(id) ?? null);
    });
  return loaderOf(ctx, `device.site ${selected.key}`, make).load(deviceId);
};

/**
 * Defines the list of the sites at which a device was, the newest first. Callers who can read the device but not one of
 * its former sites do not see that one.
 * @param device SQL of the device's identifier
 */
export const deviceSiteListing = ({ caller }: Pick<Context, 'caller'>, device: Sql): Listing => ({
  rows: (_selected, also = empty) => sql`
    select ds.site_id as "siteId", ds.started_at as "startedAt", ds.ended_at as "endedAt"${also}
      from device_site ds join site s on s.id = ds.site_id`,
  from: sql`from device_site ds join site s on s.id = ds.site_id`,
  where: [sql`ds.device_id = ${device}`, can(caller, policies.site.read)],
  ...slowly(caller),
  sortable: { startedAt: sql`ds.started_at` },
  order: sql`ds.started_at`,
  descending: true,
  // The time is unique already.
  tie: sql`ds.site_id`,
});
