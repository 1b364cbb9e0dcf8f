import sql, { type Sql } from 'sql-template-tag';
import { readableApplication } from '../auth/access.js';
import type { Caller } from '../entities/caller.js';
import { isId } from '../entities/id.js';
import { earthRadius, greatCircle } from '../records/postgres/search/sql/geo.js';
import type { DeviceFilterInput, NearInput } from '../schema/device-filter.args.js';

/** Longest time that a filtered list of devices may take, in milliseconds: it may have to look at all of an organization. */
export const filterTimeout = 5000;

/** Conditions on `device d`: it passes the filter. What is no identifier matches nothing. */
export const deviceConditions = (caller: Caller, filter: DeviceFilterInput | null | undefined): Sql[] => {
  const { tag, productIds, applicationId, silentSince, near } = filter ?? {};
  return [
    ...(tag == null ? [] : [sql`${tag} = any(d.tags)`]),
    ...(productIds == null ? [] : [sql`d.product_id = any(${productIds.filter(isId)}::uuid[])`]),
    ...(applicationId == null ? [] : [linkedTo(caller, applicationId)]),
    ...(silentSince == null ? [] : [silent(silentSince)]),
    ...(near == null ? [] : within(near)),
  ];
};

const linkedTo = (caller: Caller, applicationId: string): Sql =>
  isId(applicationId)
    ? sql`exists (select from application_device ld join application a on a.id = ld.application_id
                   where ld.device_id = d.id and a.id = ${applicationId} and ${readableApplication(caller)})`
    : sql`false`;

/**
 * No record is measured then or later. A subquery, so that each device costs a look into the index of its newest records:
 * as an anti-join, PostgreSQL may read all records since then. Records lie at most a day ahead, partitions further.
 */
const silent = (since: number): Sql => sql`
  (select r.ts from record r where r.device_id = d.id and r.ts >= to_timestamp(${since}::float8)
      and r.ts <= now() + interval '25 hours' order by r.ts desc limit 1) is null`;

/** The latitude alone tells most devices that are too far away. */
const within = (circle: NearInput): Sql[] => {
  const degrees = (circle.radius / (Math.PI * earthRadius)) * 180;
  return [
    sql`d.lat between ${circle.lat - degrees}::float8 and ${circle.lat + degrees}::float8`,
    sql`${greatCircle(sql`d.lat`, sql`d.lon`, circle)} <= ${circle.radius}::float8`,
  ];
};
