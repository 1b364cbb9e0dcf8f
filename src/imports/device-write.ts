import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { newId } from '../entities/id.js';
import { slugOfDevice } from '../entities/slug.js';
import type { DeviceLine } from './device-line.js';

/** A line with its product and applications resolved. */
export interface ResolvedLine extends DeviceLine {
  /** Absent to keep the stored product, null to remove it. */
  productId?: string | null;
  applicationIds: string[];
}

/** Numbers of devices that lines created, updated or left unchanged (or would, in a dry run). */
export interface Written {
  created: number;
  updated: number;
  unchanged: number;
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
  linked: string[];
}

type Values = Pick<StoredDevice, 'name' | 'tags' | 'productId' | 'lat' | 'lon'>;

const noValues: Values = { name: null, tags: [], productId: null, lat: null, lon: null };

/**
 * Creates and updates the devices of lines and links them to applications. A dry run only counts. No two lines may have
 * the same serial.
 */
export async function writeDevices(
  tx: PoolClient,
  organizationId: string,
  lines: readonly ResolvedLine[],
  { dryRun, now }: { dryRun: boolean; now: Date },
): Promise<Written> {
  const written: Written = { created: 0, updated: 0, unchanged: 0 };
  for (let left = lines; left.length > 0; ) {
    const stored = await loadDevices(tx, organizationId, left, !dryRun);
    const fresh = left.filter(({ serialKey }) => !stored.has(serialKey));
    const changes = left.flatMap((line) => {
      const device = stored.get(line.serialKey);
      return device === undefined ? [] : { line, device, ...changeOf(line, device) };
    });
    const changed = changes.filter(({ valuesChange, linksChange }) => valuesChange || linksChange);
    written.updated += changed.length;
    written.unchanged += changes.length - changed.length;
    if (dryRun) {
      written.created += fresh.length;
      break;
    }
    await update(tx, changed, now);
    const registered = await insert(tx, organizationId, fresh, now);
    written.created += registered.size;
    await link(tx, organizationId, [
      ...changed.map(({ device, line }) => ({ id: device.id, applicationIds: line.applicationIds })),
      ...fresh.flatMap(({ serialKey, applicationIds }) => {
        const id = registered.get(serialKey);
        return id === undefined ? [] : { id, applicationIds };
      }),
    ]);
    // Another transaction registered the others meanwhile, so they exist now.
    left = fresh.filter(({ serialKey }) => !registered.has(serialKey));
  }
  return written;
}

/** Loads the existing devices, by serial. Locks them in the order of identifiers, as everyone does. */
const loadDevices = async (
  tx: PoolClient,
  organizationId: string,
  lines: readonly DeviceLine[],
  lock: boolean,
): Promise<Map<string, StoredDevice>> => {
  const keys = lines.map(({ serialKey }) => serialKey);
  const where = sql`where d.organization_id = ${organizationId} and d.serial_key = any(${keys}::text[])`;
  if (lock) await tx.query(sql`select from device d ${where} order by d.id for update`);
  const { rows } = await tx.query<StoredDevice>(sql`
    select d.id, d.serial, d.serial_key as "serialKey", d.name, d.tags, d.product_id as "productId", d.lat, d.lon,
           array(select ad.application_id::text from application_device ad where ad.device_id = d.id) as linked
      from device d ${where}`);
  return new Map(rows.map((row) => [row.serialKey, row]));
};

const valuesOf = (line: ResolvedLine, before: Values): Values => ({
  name: line.name === undefined ? before.name : line.name,
  tags: line.tags === undefined ? before.tags : (line.tags ?? []),
  productId: line.productId === undefined ? before.productId : line.productId,
  ...(line.location === undefined
    ? { lat: before.lat, lon: before.lon }
    : { lat: line.location?.lat ?? null, lon: line.location?.lon ?? null }),
});

const changeOf = (line: ResolvedLine, device: StoredDevice) => {
  const values = valuesOf(line, device);
  return {
    values,
    valuesChange:
      values.name !== device.name ||
      values.productId !== device.productId ||
      values.lat !== device.lat ||
      values.lon !== device.lon ||
      values.tags.length !== device.tags.length ||
      values.tags.some((tag, index) => tag !== device.tags[index]),
    linksChange: line.applicationIds.some((id) => !device.linked.includes(id)),
  };
};

type Change = { device: StoredDevice; values: Values; valuesChange: boolean };

const update = async (tx: PoolClient, changes: readonly Change[], now: Date): Promise<void> => {
  const rows = changes
    .filter(({ valuesChange }) => valuesChange)
    .map(({ device: { id, serial }, values }) => ({ id, slug: slugOfDevice(values.name, serial, id), ...values }));
  if (rows.length === 0) return;
  await tx.query(sql`
    update device d set name = w.name, slug = w.slug, tags = w.tags, product_id = w."productId", lat = w.lat, lon = w.lon,
           updated_at = ${now}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as w (id uuid, name text, slug text, tags text[], "productId" uuid, lat float8, lon float8)
     where d.id = w.id`);
};

/** Inserts devices. Returns the identifiers, by serial, of those that no other transaction registered. */
const insert = async (
  tx: PoolClient,
  organizationId: string,
  lines: readonly ResolvedLine[],
  now: Date,
): Promise<Map<string, string>> => {
  if (lines.length === 0) return new Map();
  const rows = lines.map((line) => {
    const id = newId();
    const values = valuesOf(line, noValues);
    return { id, serial: line.serial, slug: slugOfDevice(values.name, line.serial, id), ...values };
  });
  const inserted = await tx.query<{ id: string; serialKey: string }>(sql`
    insert into device (id, organization_id, serial, name, slug, tags, product_id, lat, lon, created_at, updated_at)
    select w.id, ${organizationId}::uuid, w.serial, w.name, w.slug, w.tags, w."productId", w.lat, w.lon, ${now}, ${now}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as w (id uuid, serial text, name text, slug text, tags text[], "productId" uuid, lat float8, lon float8)
     -- In one order for all: imports of the same serials must not wait for each other in a circle.
     order by lower(replace(w.serial, '-', ''))
    on conflict (organization_id, serial_key) do nothing returning id, serial_key as "serialKey"`);
  return new Map(inserted.rows.map(({ id, serialKey }) => [serialKey, id]));
};

const link = async (
  tx: PoolClient,
  organizationId: string,
  devices: readonly { id: string; applicationIds: readonly string[] }[],
): Promise<void> => {
  const links = devices.flatMap(({ id, applicationIds }) =>
    applicationIds.map((applicationId) => ({ id, applicationId })),
  );
  if (links.length === 0) return;
  await tx.query(sql`
    insert into application_device (organization_id, application_id, device_id)
    select ${organizationId}::uuid, w."applicationId", w.id
      from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as w (id uuid, "applicationId" uuid)
     order by w.id, w."applicationId" on conflict do nothing`);
};
