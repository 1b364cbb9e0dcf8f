import sql, { empty, type Sql } from 'sql-template-tag';
import { can, policies } from '#auth/policies.js';
import { type ApiError, conflict, invalid } from '#common/errors.js';
import { textArray } from '#database/text-array.js';
import { hasTooMany, insertCommands, type StoredCommand } from '#downlink/command-rows.js';
import type { Caller } from '#entities/caller.js';
import { serialKey } from '#entities/serial.js';
import { isBeforeLastMove, type MoveTime, moveDevices, presentSite } from '#imports/device-move.js';
import type { DeviceFilter } from '#listing/device-filter.js';
import { deviceListing } from '#listing/devices.js';
import type { Listing } from '#listing/list-read.js';
import type { Read } from '#schema/context.js';

/** An action on each of many devices. */
export type DeviceAction =
  | { kind: 'tagDevices' | 'untagDevices'; tags: readonly string[] }
  | { kind: 'linkDevices' | 'unlinkDevices'; applicationId: string }
  | ({ kind: 'moveDevices'; siteId: string | null } & MoveTime)
  | { kind: 'deleteDevices' }
  | CommandAction;

/** A command to each of many devices. */
export interface CommandAction {
  kind: 'sendCommands';
  /** The command for devices of each product, by its identifier. */
  byProduct: Readonly<Record<string, StoredCommand>>;
  /** The command for all devices, if it is a raw one. */
  raw: StoredCommand | null;
  key: string | null;
}

/** Maximum number of tags per device. */
const mostTags = 50;

/**
 * A selection of devices: those with these identifiers and serials, if given, that match `q` and the filter, as in a
 * list.
 */
export interface DeviceChoice {
  organizationId: string;
  deviceIds?: readonly string[] | null | undefined;
  serials?: readonly string[] | null | undefined;
  q?: string | null | undefined;
  filter?: DeviceFilter | null | undefined;
}

/** Defines the list of selected devices that the caller can read. */
export const chosenListing = (caller: Caller, { organizationId, deviceIds, serials, filter }: DeviceChoice): Listing =>
  deviceListing(caller, {
    where: [
      sql`d.organization_id = ${organizationId}`,
      can(caller, policies.device.read),
      ...(deviceIds == null ? [] : [sql`d.id = any(${deviceIds}::uuid[])`]),
      ...(serials == null ? [] : [sql`d.serial_key = any(${serials.map(serialKey)}::text[])`]),
    ],
    order: sql`d.id`,
    filter,
  });

const linked = (applicationId: string): Sql =>
  sql`exists (select from application_device ad where ad.device_id = d.id and ad.application_id = ${applicationId})`;

/** Returns the condition that the action changes `device d`. */
export const isChanged = (action: DeviceAction): Sql => {
  switch (action.kind) {
    case 'tagDevices':
      return sql`not d.tags @> ${textArray(action.tags)}`;
    case 'untagDevices':
      return sql`d.tags && ${textArray(action.tags)}`;
    case 'linkDevices':
      return sql`not ${linked(action.applicationId)}`;
    case 'unlinkDevices':
      return linked(action.applicationId);
    case 'moveDevices':
      return sql`${presentSite} is distinct from ${action.siteId}::uuid`;
    case 'deleteDevices':
      return sql`true`;
    case 'sendCommands':
      return action.key === null
        ? sql`true`
        : sql`not exists (select from command c where c.device_id = d.id and c.key = ${action.key})`;
  }
};

/** Returns the condition that the action must not change `device d`. */
export const isBlocked = (action: DeviceAction): Sql => {
  switch (action.kind) {
    case 'tagDevices':
      return sql`cardinality(d.tags) + (select count(*) from unnest(${textArray(action.tags)}) t (tag) where t.tag <> all(d.tags)) > ${mostTags}`;
    case 'deleteDevices':
      return sql`exists (select from application_device ad where ad.device_id = d.id)`;
    case 'moveDevices':
      return isBeforeLastMove(action);
    case 'sendCommands':
      return sql`(${hasTooMany(sql`d.id`)}${action.raw === null ? sql` or not coalesce(d.product_id = any(${textArray(Object.keys(action.byProduct))}::uuid[]), false)` : empty})`;
    default:
      return sql`false`;
  }
};

/** Returns the condition that the caller may do this to `device d`, beyond what it takes to do it to any. */
export const isAllowed = (caller: Caller, { kind }: DeviceAction): Sql =>
  kind === 'sendCommands' ? can(caller, policies.command.send) : sql`true`;

/** Returns the error for devices that block an action. */
export const blockedError = ({ kind }: DeviceAction, count: number): ApiError => {
  if (kind === 'moveDevices')
    return invalid([{ path: 'at', message: `is before the last move of ${count} of these devices` }]);
  if (kind === 'sendCommands')
    return invalid([
      {
        path: 'name',
        message: `${count} of these devices cannot get it: their product does not declare it with these parameters, or too many commands wait for them`,
      },
    ]);
  return kind === 'deleteDevices'
    ? conflict(
        `Nothing was deleted: ${count} of these devices are linked to an application. Remove the links first (unlinkDevices).`,
      )
    : invalid([{ path: 'tags', message: `would give ${count} of these devices more than ${mostTags} tags` }]);
};

/** Numbers of the locked devices that were changed and that were blocked. */
export interface Applied {
  changed: number;
  blocked: number;
}

/**
 * Applies an action to devices that this transaction has locked, except blocked ones.
 * @param all whether a single blocked device prevents every change.
 */
export async function applyTo(
  run: Read,
  action: DeviceAction,
  deviceIds: readonly string[],
  { all }: { all: boolean },
): Promise<Applied> {
  const rows = await run<{ id: string; blocked: boolean }>(sql`
    select d.id, ${isBlocked(action)} as blocked from device d
     where d.id = any(${textArray(deviceIds)}::uuid[]) and ${isChanged(action)}`);
  const blocked = rows.filter((row) => row.blocked).length;
  if (all && blocked > 0) return { changed: 0, blocked };
  const ids = rows.flatMap((row) => (row.blocked ? [] : [row.id]));
  if (ids.length === 0) return { changed: 0, blocked };
  if (action.kind !== 'moveDevices') await run(statementOf(action, ids));
  else
    await moveDevices(
      run,
      ids.map((id) => ({ id, siteId: action.siteId })),
      action.at,
    );
  return { changed: ids.length, blocked };
}

const statementOf = (action: Exclude<DeviceAction, { kind: 'moveDevices' }>, ids: readonly string[]): Sql => {
  switch (action.kind) {
    case 'tagDevices':
      return sql`
        update device d set updated_at = greatest(clock_timestamp(), d.updated_at + interval '1 ms'), tags = d.tags || array(
          select t.tag from unnest(${textArray(action.tags)}) with ordinality t (tag, position)
           where t.tag <> all(d.tags) order by t.position)
         where d.id = any(${textArray(ids)}::uuid[])`;
    case 'untagDevices':
      return sql`
        update device d set updated_at = greatest(clock_timestamp(), d.updated_at + interval '1 ms'), tags = array(
          select t.tag from unnest(d.tags) with ordinality t (tag, position)
           where t.tag <> all(${textArray(action.tags)}) order by t.position)
         where d.id = any(${textArray(ids)}::uuid[])`;
    case 'linkDevices':
      return sql`
        insert into application_device (organization_id, application_id, device_id)
        select d.organization_id, ${action.applicationId}, d.id from device d where d.id = any(${textArray(ids)}::uuid[])
         order by d.id on conflict do nothing`;
    case 'unlinkDevices':
      return sql`
        delete from application_device where application_id = ${action.applicationId} and device_id = any(${textArray(ids)}::uuid[])`;
    case 'deleteDevices':
      return sql`delete from device where id = any(${textArray(ids)}::uuid[])`;
    case 'sendCommands':
      return insertCommands(ids, action);
  }
};

/**
 * Locks devices in the order of their identifiers, so that two changes never deadlock. Returns the identifiers of those
 * that exist.
 */
export const lockDevices = async (run: Read, which: Sql): Promise<string[]> => {
  // Linking a device also locks its row, so no device can be linked from here on.
  const rows = await run<{ id: string }>(sql`select d.id from device d ${which} for update of d`);
  return rows.map(({ id }) => id);
};
