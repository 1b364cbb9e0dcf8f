import sql, { empty, type Sql } from 'sql-template-tag';
import type { Caller } from '../entities/caller.js';
import { Role } from '../entities/enums.js';
import { type Asked, everything } from '../schema/asked.js';

/*
 * The one place that says how a stored thing becomes a row of its published shape, with what depends on the caller
 * (permission, counts) in the same statement. Names of columns are those of the entity's properties. What costs
 * something to compute or to send is left out where it is not asked for.
 */

const where = (wanted: boolean, columns: Sql): Sql => (wanted ? columns : empty);

/** Accounts of organizations, as `o`. */
export const accountRows: Sql = sql`
  select o.id, o.username, o.name, o.email, o.type, o.disabled, o.created_at as "createdAt", o.updated_at as "updatedAt"
    from account o`;

/** Teams, as `t`. */
export const teamRows: Sql = sql`
  select t.id, t.organization_id as "organizationId", t.name, t.slug, t.description,
         t.created_at as "createdAt", t.updated_at as "updatedAt"
    from team t`;

/** Number of the caller's organization's devices that use the product `p`. */
export const deviceCount = (caller: Caller): Sql =>
  sql`(select count(*)::int from device c where c.product_id = p.id and c.organization_id = ${caller.organizationId})`;

/** Products, as `p`. */
export const productRows = (caller: Caller, asked: Asked = everything): Sql => sql`
  select p.id, p.organization_id as "organizationId", p.name, p.slug, p.version, p.public,
         ${where(asked.has('variables'), sql`p.variables,`)}
         ${where(asked.has('deviceCount'), sql`${deviceCount(caller)} as "deviceCount",`)}
         p.created_at as "createdAt", p.updated_at as "updatedAt"
    from product p`;

/** Number of applications linked to the device `d` that the caller can read. */
export const applicationCount = (caller: Caller): Sql =>
  caller.role === Role.owner
    ? sql`(select count(*)::int from application_device c where c.device_id = d.id)`
    : sql`(select count(distinct c.application_id)::int
             from application_device c join team_application ta using (application_id) join team_member tm using (team_id)
            where c.device_id = d.id and tm.user_id = ${caller.userId})`;

/** Devices, as `d`, with their product as `p`. */
export const deviceRows = (caller: Caller, asked: Asked = everything): Sql => sql`
  select d.id, d.organization_id as "organizationId", d.serial, d.name, d.slug, d.tags, d.product_id as "productId", d.lat, d.lon,
         ${where(asked.has('product'), sql`case when p.id is not null then json_build_object('id', p.id, 'organizationId', p.organization_id) end as product,`)}
         ${where(asked.has('location'), sql`case when d.lat is not null then json_build_object('lat', d.lat, 'lon', d.lon) end as location,`)}
         ${where(asked.has('applicationCount'), sql`${applicationCount(caller)} as "applicationCount",`)}
         d.created_at as "createdAt", d.updated_at as "updatedAt"
    from device d left join product p on p.id = d.product_id`;

/**
 * What the caller may do with the application `a`: of several teams' grants the highest.
 * Typed, since PostgreSQL refuses to order by a bare constant.
 */
export const applicationPermission = (caller: Caller): Sql =>
  caller.role === Role.owner
    ? sql`'write'::text`
    : sql`(select max(g.permission) from team_application g join team_member tm using (team_id)
            where g.application_id = a.id and tm.user_id = ${caller.userId})`;

/** Applications, as `a`. */
export const applicationRows = (caller: Caller): Sql => sql`
  select a.id, a.organization_id as "organizationId", a.name, a.slug, a.description, a.has_dashboard as "hasDashboard",
         ${applicationPermission(caller)} as permission, a.created_at as "createdAt", a.updated_at as "updatedAt"
    from application a`;
