import sql from 'sql-template-tag';
import type { DeviceRow, Devices } from '../../../answer/device.js';
import type { Rows } from '../snapshot-reader.js';

/** Those of no record. */
export const noDevices: Devices = { devices: new Map(), owners: new Map(), retyped: new Set() };

/** Reads the devices of hits, and who owns the products that the hits are of. */
export const loadDevices = async (
  rows: Rows,
  deviceIds: readonly string[],
  productIds: readonly string[],
): Promise<Devices> => {
  if (deviceIds.length === 0) return noDevices;
  const [found] = await rows<{ devices: DeviceRow[]; products: { id: string; owner: string; retyped: boolean }[] }>(
    sql`
    select
      (select coalesce(json_agg(x), '[]') from (
        select id, serial, name, tags, lat, lon from device where id = any(${[...new Set(deviceIds)]}::uuid[])) x) as devices,
      (select coalesce(json_agg(x), '[]') from (
        select id, organization_id as owner, exists (
          select from product_slot s join jsonb_to_recordset(variables) v (name text, type text)
            on v.name = s.name and v.type <> s.type
          where s.product_id = product.id) as retyped
        from product where id = any(${[...new Set(productIds)]}::uuid[])) x) as products`,
    'devices',
  );
  return {
    devices: new Map(found!.devices.map((device) => [device.id, device])),
    owners: new Map(found!.products.map(({ id, owner }) => [id, owner])),
    retyped: new Set(found!.products.flatMap(({ id, retyped }) => (retyped ? id : []))),
  };
};
