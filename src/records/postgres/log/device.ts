import sql from 'sql-template-tag';
import { namedStatement } from '#database/named-statement.js';
import { isId } from '#entities/id.js';
import { serialKey } from '#entities/serial.js';
import { type Item, Rejection } from '#records/item.js';
import type { PoolOrClient, ProductUse } from '#records/scope/product-shape.js';
import type { RecordDevice } from '#records/stored-record.js';

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
  has_rules: boolean;
}

/** Devices that items name. */
export interface LoadedDevices {
  /** Returns their products, each with its version. */
  products(): Iterable<ProductUse & { version: string }>;
  /** Returns the device of an organization's item. */
  find(organizationId: string, item: Item): RecordDevice | undefined;
}

/** Names of devices in one organization's items. */
interface DeviceKeys {
  serials: Set<string>;
  ids: Set<string>;
}

/** Found devices of one organization, by serial and by identifier. */
interface FoundDevices {
  bySerial: Map<string, RecordDevice>;
  byId: Map<string, RecordDevice>;
}

/** Loads the devices that items name, each from the item's own organization, in one statement. */
export const loadDevices = async (
  database: PoolOrClient,
  calls: readonly { organizationId: string; items: readonly (Item | Rejection)[] }[],
): Promise<LoadedDevices> => {
  const wanted = wantedOf(calls);
  const serials = pairs(wanted, ({ serials }) => serials);
  const ids = pairs(wanted, ({ ids }) => ids);
  const columns = sql`d.id, d.organization_id, d.serial, d.serial_key, d.lat, d.lon, d.product_id,
    p.organization_id as product_organization_id, p.xmin::text as product_version,
    exists (select from alert_rule a where a.organization_id = d.organization_id and not a.disabled) as has_rules`;
  const { rows } = await database.query<Row>(
    namedStatement(
      'devices',
      sql`
    select ${columns} from unnest(${serials.organizations}::uuid[], ${serials.values}::text[]) w (organization_id, serial_key)
    join device d using (organization_id, serial_key) left join product p on p.id = d.product_id
    union all
    select ${columns} from unnest(${ids.organizations}::uuid[], ${ids.values}::uuid[]) w (organization_id, id)
    join device d using (organization_id, id) left join product p on p.id = d.product_id`,
    ),
  );
  const found = new Map<string, FoundDevices>();
  for (const organizationId of wanted.keys()) found.set(organizationId, { bySerial: new Map(), byId: new Map() });
  const products: (ProductUse & { version: string })[] = [];
  for (const row of rows) {
    const device = deviceOf(row);
    if (row.product_id !== null) {
      const foreign = row.product_organization_id !== row.organization_id;
      products.push({ id: row.product_id, foreign, version: row.product_version });
    }
    found.get(row.organization_id)?.bySerial.set(row.serial_key, device);
    found.get(row.organization_id)?.byId.set(row.id, device);
  }
  return {
    products: () => products,
    find: (organizationId, { serials, deviceId }) => {
      const of = found.get(organizationId);
      if (deviceId !== undefined) return of?.byId.get(deviceId.toLowerCase());
      for (const serial of serials) {
        const device = of?.bySerial.get(serialKey(serial));
        if (device) return device;
      }
      return undefined;
    },
  };
};

const wantedOf = (
  calls: readonly { organizationId: string; items: readonly (Item | Rejection)[] }[],
): Map<string, DeviceKeys> => {
  const wanted = new Map<string, DeviceKeys>();
  for (const { organizationId, items } of calls) {
    const of = wanted.get(organizationId) ?? { serials: new Set(), ids: new Set() };
    wanted.set(organizationId, of);
    for (const item of items) {
      if (item instanceof Rejection) continue;
      for (const serial of item.serials) of.serials.add(serialKey(serial));
      const id = item.deviceId?.toLowerCase();
      if (id !== undefined && isId(id)) of.ids.add(id);
    }
  }
  return wanted;
};

/** Returns two arrays of equal length, for unnest. */
const pairs = (
  wanted: ReadonlyMap<string, DeviceKeys>,
  read: (of: DeviceKeys) => ReadonlySet<string>,
): { organizations: string[]; values: string[] } => {
  const list = [...wanted].flatMap(([organization, of]) => [...read(of)].map((value) => ({ organization, value })));
  return { organizations: list.map(({ organization }) => organization), values: list.map(({ value }) => value) };
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
  ...(row.has_rules && { hasRules: true as const }),
});
