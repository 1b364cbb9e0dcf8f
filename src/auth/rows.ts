import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { Account } from '#entities/account.js';
import type { Application } from '#entities/application.js';
import type { Caller } from '#entities/caller.js';
import type { Device } from '#entities/device.js';
import { Role } from '#entities/enums.js';
import type { Product } from '#entities/product.js';
import type { Site } from '#entities/site.js';
import type { Team } from '#entities/team.js';
import { everything, type SelectedFields } from '#schema/selected-fields.js';
import { applicationPermission } from './audiences.js';

/* SQL that selects stored objects in their published form, together with what depends on the caller (permission,
   counts). Columns are named like the entity's properties. Only selected columns are computed and sent. `also` adds
   columns, after a comma. */

/**
 * A column for every property of a row except those in `Needed` and methods. A property that is added to the class but
 * not here does not compile; otherwise it would always be null.
 */
type Columns<Row, Needed extends keyof Row> = {
  readonly [Name in keyof Row as Name extends Needed ? never : Row[Name] extends Method ? never : Name]-?: Sql;
};

type Method = (...values: never[]) => unknown;

/** Returns the columns of a row: those that field resolvers rely on, and the selected ones of the others. */
const columns = <Row, Needed extends keyof Row>(
  selected: SelectedFields,
  needed: Sql,
  others: Columns<Row, Needed>,
): Sql =>
  join([needed, ...Object.entries<Sql>(others).flatMap(([name, column]) => (selected.has(name) ? column : []))]);

/** Selects accounts of organizations, as `o`. */
export const accountRows: Sql = sql`select ${columns<Account, 'id'>(everything, sql`o.id`, {
  username: sql`o.username`,
  name: sql`o.name`,
  email: sql`o.email`,
  type: sql`o.type`,
  disabled: sql`o.disabled`,
  timeZone: sql`o.time_zone as "timeZone"`,
  createdAt: sql`o.created_at as "createdAt"`,
  updatedAt: sql`o.updated_at as "updatedAt"`,
})} from account o`;

/** Selects teams, as `t`. */
export const teamRows = (selected: SelectedFields = everything, also: Sql = empty): Sql => {
  const needed = sql`t.id, t.organization_id as "organizationId"`;
  const chosen = columns<Team, 'id' | 'organizationId'>(selected, needed, {
    name: sql`t.name`,
    slug: sql`t.slug`,
    description: sql`t.description`,
    createdAt: sql`t.created_at as "createdAt"`,
    updatedAt: sql`t.updated_at as "updatedAt"`,
  });
  return sql`select ${chosen}${also} from team t`;
};

/** Counts the devices of the caller's organization, or of its application, that use the product `p`. */
export const deviceCount = ({ organizationId, applicationId }: Caller): Sql =>
  applicationId === null
    ? sql`(select count(*)::int from device c where c.product_id = p.id and c.organization_id = ${organizationId})`
    : sql`(select count(*)::int from application_device l join device c on c.id = l.device_id
            where l.application_id = ${applicationId} and c.product_id = p.id)`;

/**
 * Selects products, as `p`. Other organizations that still use a withdrawn product see it as it was at the withdrawal;
 * later changes by its owner are visible only to the owner.
 */
export const productRows = (caller: Caller, selected: SelectedFields = everything, also: Sql = empty): Sql => {
  const then = (value: Sql, now: Sql) => sql`
    case when p.withdrawn is null or p.organization_id = ${caller.organizationId} then ${now} else ${value} end`;
  const needed = sql`p.id, p.organization_id as "organizationId"`;
  const chosen = columns<Product, 'id' | 'organizationId'>(selected, needed, {
    name: sql`${then(sql`p.withdrawn ->> 'name'`, sql`p.name`)} as name`,
    slug: sql`${then(sql`p.withdrawn ->> 'slug'`, sql`p.slug`)} as slug`,
    version: sql`${then(sql`p.withdrawn ->> 'version'`, sql`p.version`)} as version`,
    public: sql`p.public`,
    // Only the organization that owns the product sees its key.
    externalId: sql`case when p.organization_id = ${caller.organizationId} then p.external_id end as "externalId"`,
    variables: sql`${then(sql`p.withdrawn -> 'variables'`, sql`p.variables`)} as variables`,
    settings: sql`${then(sql`coalesce(p.withdrawn -> 'settings', '{}')`, sql`p.settings`)} as settings`,
    deviceCount: sql`${deviceCount(caller)} as "deviceCount"`,
    createdAt: sql`p.created_at as "createdAt"`,
    updatedAt: sql`${then(sql`(p.withdrawn ->> 'updatedAt')::timestamptz(3)`, sql`p.updated_at`)} as "updatedAt"`,
  });
  return sql`select ${chosen}${also} from product p`;
};

/** Counts the applications linked to the device `d` that the caller can read. */
export const applicationCount = ({ role, applicationId, userId }: Caller): Sql => {
  if (role === Role.owner) return sql`(select count(*)::int from application_device c where c.device_id = d.id)`;
  if (applicationId !== null)
    return sql`(select count(*)::int from application_device c where c.device_id = d.id and c.application_id = ${applicationId})`;
  return sql`(select count(distinct c.application_id)::int
                from application_device c join team_application ta using (application_id) join team_member tm using (team_id)
               where c.device_id = d.id and tm.user_id = ${userId})`;
};

/** Selects devices, as `d`, with their product as `p`. */
export const deviceRows = (caller: Caller, selected: SelectedFields = everything, also: Sql = empty): Sql => {
  const needed = sql`d.id, d.organization_id as "organizationId", d.product_id as "productId"`;
  // The column `location` includes latitude and longitude.
  const chosen = columns<Device, 'id' | 'organizationId' | 'productId' | 'lat' | 'lon'>(selected, needed, {
    serial: sql`d.serial`,
    name: sql`d.name`,
    slug: sql`d.slug`,
    tags: sql`d.tags`,
    product: sql`case when p.id is not null then json_build_object('id', p.id, 'organizationId', p.organization_id) end as product`,
    location: sql`d.lat, d.lon, case when d.lat is not null then json_build_object('lat', d.lat, 'lon', d.lon) end as location`,
    applicationCount: sql`${applicationCount(caller)} as "applicationCount"`,
    createdAt: sql`d.created_at as "createdAt"`,
    updatedAt: sql`d.updated_at as "updatedAt"`,
  });
  return sql`select ${chosen}${also} from device d left join product p on p.id = d.product_id`;
};

/** Selects sites, as `s`. */
export const siteRows = (selected: SelectedFields = everything, also: Sql = empty): Sql => {
  const needed = sql`s.id, s.organization_id as "organizationId", s.parent_id as "parentId"`;
  // The column `location` includes latitude and longitude.
  const chosen = columns<Site, 'id' | 'organizationId' | 'parentId' | 'lat' | 'lon'>(selected, needed, {
    path: sql`s.path`,
    name: sql`s.name`,
    kind: sql`s.kind`,
    location: sql`s.lat, s.lon, case when s.lat is not null then json_build_object('lat', s.lat, 'lon', s.lon) end as location`,
    timeZone: sql`s.time_zone as "timeZone"`,
    externalId: sql`s.external_id as "externalId"`,
    createdAt: sql`s.created_at as "createdAt"`,
    updatedAt: sql`s.updated_at as "updatedAt"`,
  });
  return sql`select ${chosen}${also} from site s`;
};

/** Selects applications, as `a`. */
export const applicationRows = (caller: Caller, selected: SelectedFields = everything, also: Sql = empty): Sql => {
  const needed = sql`a.id, a.organization_id as "organizationId", ${applicationPermission(caller)} as permission`;
  const chosen = columns<Application, 'id' | 'organizationId' | 'permission'>(selected, needed, {
    name: sql`a.name`,
    slug: sql`a.slug`,
    description: sql`a.description`,
    externalId: sql`a.external_id as "externalId"`,
    hasDashboard: sql`a.has_dashboard as "hasDashboard"`,
    createdAt: sql`a.created_at as "createdAt"`,
    updatedAt: sql`a.updated_at as "updatedAt"`,
  });
  return sql`select ${chosen}${also} from application a`;
};
