import sql from 'sql-template-tag';
import { textArray } from '#database/text-array.js';
import { newId } from '#entities/id.js';
import { slugOfDevice } from '#entities/slug.js';
import type { Read } from '#schema/context.js';
import { moveDevices, presentSite } from './device-move.js';

/** Values that a device is to have, found by its serial. An absent value stays as it is, `null` clears it. */
export interface DevicePut {
  serial: string;
  /** The serial in the form for comparison. */
  serialKey: string;
  name?: string | null;
  tags?: string[] | null;
  location?: { lat: number; lon: number } | null;
  productId?: string | null;
  /** Site at which the device is; null for none. */
  siteId?: string | null;
  /** Applications to link the device to. Other links stay. */
  applicationIds: readonly string[];
}

/** The outcome for one device. A device is `refused` when there is no room for it. */
export type DeviceOutcome =
  | { status: 'created' | 'updated' | 'unchanged'; id: string }
  | { status: 'refused'; id?: undefined };

export interface DeviceWriting {
  /** Whether to return the outcomes only. */
  dryRun: boolean;
  now: Date;
  /** Number of devices that may be registered. Without it, PostgreSQL refuses the statement that exceeds a quota. */
  room?: number;
}

interface StoredDevice {
  id: string;
  serial: string;
  serialKey: string;
  name: string | null;
  tags: string[];
  productId: string | null;
  lat: number | null;
  lon: number | null;
  siteId: string | null;
  linked: string[];
}

type Values = Pick<StoredDevice, 'name' | 'tags' | 'productId' | 'lat' | 'lon'>;

const noValues: Values = { name: null, tags: [], productId: null, lat: null, lon: null };

/**
 * Registers, changes and links devices, no two of which have the same serial. One round takes at most five statements, and some more to
 * move devices to other sites:
 *
 * ```sql
 * select from device d where d.organization_id = $1 and d.serial_key = any($2) order by d.id for update
 * select d.id, d.serial, ... from device d where d.organization_id = $1 and d.serial_key = any($2)
 * update device d set name = w.name, ... from jsonb_to_recordset($1::jsonb) w (...) where d.id = w.id
 * insert into device (...) select ... on conflict do nothing returning id
 * insert into application_device (...) select ... on conflict do nothing
 * ```
 * @param run runs a statement in the transaction of the caller. Lists are passed as JSON, because not every runner
 * takes arrays.
 * @returns one outcome per device, in order.
 */
export async function writeDevices(
  run: Read,
  organizationId: string,
  puts: readonly DevicePut[],
  { dryRun, now, room = Number.POSITIVE_INFINITY }: DeviceWriting,
): Promise<DeviceOutcome[]> {
  const outcomes = new Map<string, DeviceOutcome>();
  let left = puts;
  while (left.length > 0) {
    const stored = await loadDevices(run, organizationId, left, !dryRun);
    const changes = left.flatMap((put) => {
      const device = stored.get(put.serialKey);
      return device === undefined ? [] : { put, device, ...changeOf(put, device) };
    });
    const changed = changes.filter(
      ({ valuesChange, linksChange, siteChange }) => valuesChange || linksChange || siteChange,
    );
    for (const { put, device } of changes) outcomes.set(put.serialKey, { status: 'unchanged', id: device.id });
    for (const { put, device } of changed) outcomes.set(put.serialKey, { status: 'updated', id: device.id });
    const unknown = left.filter(({ serialKey }) => !stored.has(serialKey));
    const fresh = unknown.slice(0, room).map((put) => ({ put, id: newId() }));
    for (const { serialKey } of unknown.slice(room)) outcomes.set(serialKey, { status: 'refused' });
    for (const { put, id } of fresh) outcomes.set(put.serialKey, { status: 'created', id });
    if (dryRun) break;
    await update(run, changed, now);
    const registered = await insert(run, organizationId, fresh, now);
    await link(run, organizationId, [
      ...changed.map(({ device, put }) => ({ id: device.id, applicationIds: put.applicationIds })),
      ...fresh.flatMap(({ put, id }) => (registered.has(id) ? { id, applicationIds: put.applicationIds } : [])),
    ]);
    const moves = [
      ...changed.flatMap(({ device, put, siteChange }) =>
        siteChange ? { id: device.id, siteId: put.siteId ?? null } : [],
      ),
      ...fresh.flatMap(({ put: { siteId }, id }) => (siteId != null && registered.has(id) ? { id, siteId } : [])),
    ];
    if (moves.length > 0) await moveDevices(run, moves, now.toISOString());
    // Another transaction registered the remaining devices meanwhile, so the next round finds them.
    left = fresh.flatMap(({ put, id }) => (registered.has(id) ? [] : put));
    room -= registered.size;
  }
  return puts.map(({ serialKey }) => outcomes.get(serialKey)!);
}

/** Returns the registered devices by serial, locked in the order of their identifiers. */
const loadDevices = async (
  run: Read,
  organizationId: string,
  puts: readonly DevicePut[],
  lock: boolean,
): Promise<Map<string, StoredDevice>> => {
  const keys = puts.map(({ serialKey }) => serialKey);
  const where = sql`where d.organization_id = ${organizationId} and d.serial_key = any(${textArray(keys)})`;
  if (lock) await run(sql`select from device d ${where} order by d.id for update`);
  const rows = await run<StoredDevice>(sql`
    select d.id, d.serial, d.serial_key as "serialKey", d.name, d.tags, d.product_id as "productId", d.lat, d.lon, ${presentSite} as "siteId",
           array(select ad.application_id::text from application_device ad where ad.device_id = d.id) as linked
      from device d ${where}`);
  return new Map(rows.map((row) => [row.serialKey, row]));
};

const valuesOf = (put: DevicePut, before: Values): Values => ({
  name: put.name === undefined ? before.name : put.name,
  tags: put.tags === undefined ? before.tags : (put.tags ?? []),
  productId: put.productId === undefined ? before.productId : put.productId,
  ...(put.location === undefined
    ? { lat: before.lat, lon: before.lon }
    : { lat: put.location?.lat ?? null, lon: put.location?.lon ?? null }),
});

const changeOf = (put: DevicePut, device: StoredDevice) => {
  const values = valuesOf(put, device);
  return {
    values,
    valuesChange:
      values.name !== device.name ||
      values.productId !== device.productId ||
      values.lat !== device.lat ||
      values.lon !== device.lon ||
      values.tags.length !== device.tags.length ||
      values.tags.some((tag, index) => tag !== device.tags[index]),
    siteChange: put.siteId !== undefined && put.siteId !== device.siteId,
    linksChange: put.applicationIds.some((id) => !device.linked.includes(id)),
  };
};

type Change = { device: StoredDevice; values: Values; valuesChange: boolean };

const update = async (run: Read, changes: readonly Change[], now: Date): Promise<void> => {
  const rows = changes
    .filter(({ valuesChange }) => valuesChange)
    .map(({ device: { id, serial }, values }) => ({ id, slug: slugOfDevice(values.name, serial, id), ...values }));
  if (rows.length === 0) return;
  await run(sql`
    update device d set name = w.name, slug = w.slug, tags = w.tags, product_id = w."productId", lat = w.lat, lon = w.lon,
           updated_at = greatest(${now.toISOString()}::timestamptz, d.updated_at + interval '1 ms')
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as w (id uuid, name text, slug text, tags text[], "productId" uuid, lat float8, lon float8)
     where d.id = w.id`);
};

/** Inserts new devices, and returns the identifiers of those that no other transaction has registered meanwhile. */
const insert = async (
  run: Read,
  organizationId: string,
  fresh: readonly { put: DevicePut; id: string }[],
  now: Date,
): Promise<Set<string>> => {
  if (fresh.length === 0) return new Set();
  const rows = fresh.map(({ put, id }) => {
    const values = valuesOf(put, noValues);
    return { id, serial: put.serial, slug: slugOfDevice(values.name, put.serial, id), ...values };
  });
  const at = sql`${now.toISOString()}::timestamptz`;
  const inserted = await run<{ id: string }>(sql`
    insert into device (id, organization_id, serial, name, slug, tags, product_id, lat, lon, created_at, updated_at)
    select w.id, ${organizationId}::uuid, w.serial, w.name, w.slug, w.tags, w."productId", w.lat, w.lon, ${at}, ${at}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as w (id uuid, serial text, name text, slug text, tags text[], "productId" uuid, lat float8, lon float8)
     -- In one order for all: imports of the same serials must not wait for each other in a circle.
     order by lower(replace(w.serial, '-', ''))
    on conflict (organization_id, serial_key) do nothing returning id`);
  return new Set(inserted.map(({ id }) => id));
};

const link = async (
  run: Read,
  organizationId: string,
  devices: readonly { id: string; applicationIds: readonly string[] }[],
): Promise<void> => {
  const links = devices.flatMap(({ id, applicationIds }) =>
    applicationIds.map((applicationId) => ({ id, applicationId })),
  );
  if (links.length === 0) return;
  await run(sql`
    insert into application_device (organization_id, application_id, device_id)
    select ${organizationId}::uuid, w."applicationId", w.id
      from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as w (id uuid, "applicationId" uuid)
     order by w.id, w."applicationId" on conflict do nothing`);
};
