import sql, { type Sql } from 'sql-template-tag';
import { readableApplication } from '../auth/access.js';
import type { Caller } from '../entities/caller.js';
import { isId } from '../entities/id.js';
import { earthRadius, greatCircle } from '../records/postgres/search/sql/geo.js';
import type { DeviceFilterInput, NearInput } from '../schema/device-filter.args.js';

/** Longest time that a filtered list of devices may take, in milliseconds: it may have to look at all of an organization. */
export const filterTimeout = 5000;

/** A filter as PostgreSQL is asked it: which devices are silent only the index of records knows, see `silent-filter.ts`. */
export interface DeviceFilter extends Omit<DeviceFilterInput, 'silentSince'> {
  silentIds?: readonly string[];
}

/** Conditions on `device d`: it passes the filter. What is no identifier matches nothing. */
export const deviceConditions = (caller: Caller, filter: DeviceFilter | null | undefined): Sql[] => {
  const { tag, productIds, applicationId, silentIds, near } = filter ?? {};
  return [
    ...(tag == null ? [] : [sql`${tag} = any(d.tags)`]),
    ...(productIds == null ? [] : [sql`d.product_id = any(${productIds.filter(isId)}::uuid[])`]),
    ...(applicationId == null ? [] : [linkedTo(caller, applicationId)]),
    ...(silentIds === undefined ? [] : [sql`d.id = any(${silentIds}::uuid[])`]),
    ...(near == null ? [] : within(near)),
  ];
};

const linkedTo = (caller: Caller, applicationId: string): Sql =>
  isId(applicationId)
    ? sql`exists (select from application_device ld join application a on a.id = ld.application_id
                   where ld.device_id = d.id and a.id = ${applicationId} and ${readableApplication(caller)})`
    : sql`false`;

/** The latitude alone tells most devices that are too far away. */
const within = (circle: NearInput): Sql[] => {
  const degrees = (circle.radius / (Math.PI * earthRadius)) * 180;
  return [
    sql`d.lat between ${circle.lat - degrees}::float8 and ${circle.lat + degrees}::float8`,
    sql`${greatCircle(sql`d.lat`, sql`d.lon`, circle)} <= ${circle.radius}::float8`,
  ];
};
