import sql, { type Sql } from 'sql-template-tag';
import { can, policies } from '#auth/policies.js';
import type { Caller } from '#entities/caller.js';
import { isId } from '#entities/id.js';
import { earthRadius, greatCircle } from '#records/postgres/search/sql/sql-distance.js';
import type { AttributeFilterInput, DeviceFilterInput, NearInput } from './device-filter.args.js';

/** Timeout of a filtered list of devices, in milliseconds. It may have to read all devices of an organization. */
export const filterTimeout = 5000;

/**
 * A filter in the form that PostgreSQL can evaluate. Only the record index knows which devices are silent: see
 * `silent-filter.ts`.
 */
export interface DeviceFilter extends Omit<DeviceFilterInput, 'silentSince'> {
  silentIds?: readonly string[];
}

/** Returns the conditions on `device d` of a filter. An invalid identifier matches nothing. */
export const deviceConditions = (caller: Caller, filter: DeviceFilter | null | undefined): Sql[] => {
  const { ids, tag, productIds, applicationId, siteId, silentIds, near, attributes } = filter ?? {};
  return [
    ...(ids == null ? [] : [sql`d.id = any(${ids.filter(isId)}::uuid[])`]),
    ...(tag == null ? [] : [sql`${tag} = any(d.tags)`]),
    ...(productIds == null ? [] : [sql`d.product_id = any(${productIds.filter(isId)}::uuid[])`]),
    ...(applicationId == null ? [] : [linkedTo(caller, applicationId)]),
    ...(siteId == null ? [] : [isId(siteId) ? atSite(sql`${siteId}::uuid`, { below: true }) : sql`false`]),
    ...(silentIds === undefined ? [] : [sql`d.id = any(${silentIds}::uuid[])`]),
    ...(near == null ? [] : within(near)),
    ...(attributes ?? []).map(hasAttribute),
  ];
};

/** Returns the condition that an attribute of `device d` has a value now. */
const hasAttribute = ({ name, value }: AttributeFilterInput): Sql => sql`${JSON.stringify(value)}::jsonb = (
  select da.value from attribute da where da.owner_id = d.id and da.name = ${name} and da.valid_from <= now()
   order by da.valid_from desc limit 1)`;

/**
 * Returns the condition that `device d` is at a site now, or below it. The devices are looked up first: as a join, a
 * list in the order of devices would read all devices of the organization until its page is full.
 * @param site SQL of the site's identifier
 */
export const atSite = (site: Sql, { below }: { below: boolean }): Sql => {
  const sites = below
    ? sql`site sb join device_site ds on ds.site_id = sb.id and ds.ended_at is null where sb.path @> array[${site}]`
    : sql`device_site ds where ds.site_id = ${site} and ds.ended_at is null`;
  return sql`d.id = any(array(select ds.device_id from ${sites}))`;
};

const linkedTo = (caller: Caller, applicationId: string): Sql =>
  isId(applicationId)
    ? sql`exists (select from application_device ld join application a on a.id = ld.application_id
                   where ld.device_id = d.id and a.id = ${applicationId} and ${can(caller, policies.application.read)})`
    : sql`false`;

/** Returns the conditions of a circle. The latitude alone excludes most devices that are too far away. */
const within = (circle: NearInput): Sql[] => {
  const degrees = (circle.radius / (Math.PI * earthRadius)) * 180;
  return [
    sql`d.lat between ${circle.lat - degrees}::float8 and ${circle.lat + degrees}::float8`,
    sql`${greatCircle(sql`d.lat`, sql`d.lon`, circle)} <= ${circle.radius}::float8`,
  ];
};
