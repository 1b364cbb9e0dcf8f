import sql, { empty, type Sql } from 'sql-template-tag';
import { can, policies } from '#auth/policies.js';
import { applicationCount, deviceRows } from '#auth/rows.js';
import type { Caller } from '#entities/caller.js';
import type { Device } from '#entities/device.js';
import { isId, nilId } from '#entities/id.js';
import type { Context } from '#schema/context.js';
import type { Which } from './applications.js';
import { type DeviceFilter, deviceConditions, filterTimeout } from './device-filter.js';
import { ignoringCase } from './list.js';
import type { Listing } from './list-read.js';
import { loadById } from './loader.js';

/** A selection of devices `d`, with a filter. */
export interface WhichDevices extends Which {
  filter?: DeviceFilter | null | undefined;
}

/** Defines a list of devices, as `d`, each with the number of its applications that the caller can read. */
export const deviceListing = (caller: Caller, { joined = empty, where, order, filter }: WhichDevices): Listing => ({
  rows: (selected, also) => sql`${deviceRows(caller, selected, also)} ${joined}`,
  from: sql`from device d ${joined}`,
  where: [...where, ...deviceConditions(caller, filter)],
  ...(filter != null && { timeout: filterTimeout }),
  matched: [sql`d.serial`, sql`d.name`, sql`d.slug`],
  matchedSerial: sql`d.serial_key`,
  sortable: {
    id: sql`d.id`,
    organizationId: sql`d.organization_id`,
    serial: sql`d.serial_key`,
    name: ignoringCase(sql`d.name`),
    slug: ignoringCase(sql`d.slug`),
    applicationCount: applicationCount(caller),
    createdAt: sql`d.created_at`,
    updatedAt: sql`d.updated_at`,
  },
  order,
  tie: sql`d.id`,
});

/**
 * Defines the list of an application's devices, in the order of linking.
 * @param application SQL of the application's identifier.
 */
export const linkedDeviceListing = (
  caller: Caller,
  application: Sql,
  { productId, filter }: { productId?: string | null; filter?: DeviceFilter | null } = {},
): Listing => {
  const listing = deviceListing(caller, {
    joined: sql`join application_device l on l.device_id = d.id`,
    where: [sql`l.application_id = ${application}`, ...ofProduct(productId)],
    order: sql`l.created_at`,
    filter,
  });
  // Each link has one device, so only links are counted when there is no condition on devices.
  return listing.where.length > 1 ? listing : { ...listing, countedFrom: sql`from application_device l` };
};

/**
 * Returns the condition that `device d` has this product. An invalid identifier matches nothing: it is compared as the
 * nil identifier, because PostgreSQL checks no other condition, such as the syntax of `q`, beside a constant `false`.
 */
export const ofProduct = (productId: string | null | undefined): Sql[] =>
  productId == null ? [] : [sql`d.product_id = ${isId(productId) ? productId : nilId}`];

/**
 * Loads a device that another object refers to; null when the caller cannot read it. All devices of a call share one
 * statement.
 */
export const loadDeviceById = (ctx: Context, deviceId: string): Promise<Device | null> =>
  loadById(
    ctx,
    'device',
    deviceId,
    (ids) =>
      sql`${deviceRows(ctx.caller)} where d.id = any(${ids}::uuid[]) and ${can(ctx.caller, policies.device.read)}`,
  );
