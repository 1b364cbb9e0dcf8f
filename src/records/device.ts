import type { Pool, PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { isId } from '../entities/id.js';
import { type Item } from './item.js';
import type { RecordDevice } from './stored-record.js';

/** A pool or one of its connections. */
export type Database = Pool | PoolClient;

interface Row {
  id: string;
  organization_id: string;
  serial: string;
  serial_key: string;
  lat: number | null;
  lon: number | null;
  product_id: string | null;
  product_organization_id: string;
  product_version: string;
}

/** A serial as it is compared: case and dashes aside. */
export const serialKey = (serial: string): string => serial.toLowerCase().replaceAll('-', '');

/** Devices that items name. */
export interface Devices {
  /** Their products, each with its version. */
  products(): Iterable<{ id: string; version: string }>;
  /** The device of an item of an organization. */
  find(organizationId: string, item: Item): RecordDevice | undefined;
}

/** Loads the devices that items name, of each item's own organization, in one statement. */
export const loadDevices = async (
  database: Database,
  wanted: readonly { organizationId: string; item: Item }[],
): Promise<Devices> => {
  const serials = pairs(wanted, ({ serials }) => serials.map(serialKey));
  const ids = pairs(wanted, ({ deviceId }) =>
    deviceId !== undefined && isId(deviceId) ? [deviceId.toLowerCase()] : [],
  );
  const columns = sql`d.id, d.organization_id, d.serial, d.serial_key, d.lat, d.lon, d.product_id,
    p.organization_id as product_organization_id, p.xmin::text as product_version`;
  const { rows } = await database.query<Row>(sql`
    select ${columns} from unnest(${serials.organizations}::uuid[], ${serials.values}::text[]) w (organization_id, serial_key)
    join device d using (organization_id, serial_key) left join product p on p.id = d.product_id
    union all
    select ${columns} from unnest(${ids.organizations}::uuid[], ${ids.values}::uuid[]) w (organization_id, id)
    join device d using (organization_id, id) left join product p on p.id = d.product_id`);
  const found = new Map<string, RecordDevice>();
  const products = new Map<string, { id: string; version: string }>();
  for (const row of rows) {
    const device = deviceOf(row);
    if (row.product_id !== null) products.set(row.product_id, { id: row.product_id, version: row.product_version });
    found.set(`${row.organization_id}/${row.serial_key}`, device);
    found.set(`${row.organization_id}#${row.id}`, device);
  }
  return {
    products: () => products.values(),
    find: (organizationId, { serials, deviceId }) => {
      if (deviceId !== undefined) return found.get(`${organizationId}#${deviceId.toLowerCase()}`);
      return serials
        .map((serial) => found.get(`${organizationId}/${serialKey(serial)}`))
        .find((device) => device !== undefined);
    },
  };
};

const pairs = (
  wanted: readonly { organizationId: string; item: Item }[],
  read: (item: Item) => readonly string[],
): { organizations: string[]; values: string[] } => {
  const distinct = new Map(
    wanted.flatMap(({ organizationId, item }) =>
      read(item).map((value) => [`${organizationId}/${value}`, { organizationId, value }] as const),
    ),
  );
  const list = [...distinct.values()];
  return { organizations: list.map(({ organizationId }) => organizationId), values: list.map(({ value }) => value) };
};

const deviceOf = (row: Row): RecordDevice => ({
  id: row.id,
  serial: row.serial,
  organizationId: row.organization_id,
  ...(row.product_id === null
    ? {}
    : {
        product: { id: row.product_id, organizationId: row.product_organization_id },
      }),
  ...(row.lat === null || row.lon === null ? {} : { location: { lat: row.lat, lon: row.lon } }),
});
