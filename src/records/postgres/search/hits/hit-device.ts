import sql, { type Sql } from 'sql-template-tag';
import type { AnswerDevices, DeviceRow } from '#records/answer/device-answer.js';
import type { Rows } from '#records/scope/snapshot-reader.js';

/** Devices for no records. */
export const noDevices: AnswerDevices = { devices: new Map(), owners: new Map(), retyped: new Set() };

/** Columns of the devices of hits, and of the products of the hits. */
export interface DevicesFound {
  readonly devices: readonly DeviceRow[];
  readonly products: readonly { id: string; owner: string; retyped: boolean }[];
}

/** SQL of the columns of {@link DevicesFound}, from arrays of identifiers. */
export const deviceColumns = (deviceIds: Sql, productIds: Sql): Sql => sql`
      (select coalesce(json_agg(x), '[]') from (
        select id, serial, name, tags, lat, lon from device where id = any(${deviceIds})) x) as devices,
      (select coalesce(json_agg(x), '[]') from (
        select id, organization_id as owner, exists (
          select from product_slot s join jsonb_to_recordset(variables) v (name text, type text)
            on v.name = s.name and v.type <> s.type
          where s.product_id = product.id) as retyped
        from product where id = any(${productIds})) x) as products`;

/** Indexes the devices by identifier, from one statement or several. */
export const devicesIn = (found: readonly DevicesFound[]): AnswerDevices => {
  const products = found.flatMap((one) => one.products);
  return {
    devices: new Map(found.flatMap(({ devices }) => devices).map((device) => [device.id, device])),
    owners: new Map(products.map(({ id, owner }) => [id, owner])),
    retyped: new Set(products.flatMap(({ id, retyped }) => (retyped ? id : []))),
  };
};

/** Reads the devices of hits, and the owners of the hits' products. */
export const loadDevices = async (
  rows: Rows,
  deviceIds: readonly string[],
  productIds: readonly string[],
): Promise<AnswerDevices> => {
  if (deviceIds.length === 0) return noDevices;
  const [of, ofProducts] = [[...new Set(deviceIds)], [...new Set(productIds)]];
  return devicesIn(
    await rows<DevicesFound>(
      sql`
    select ${deviceColumns(sql`${of}::uuid[]`, sql`${ofProducts}::uuid[]`)}`,
      'devices',
    ),
  );
};

/** Reads devices, and the owners of all products in their records. */
export const loadDevicesOfAnyTime = async (rows: Rows, deviceIds: readonly string[]): Promise<AnswerDevices> => {
  const products = sql`array(
    select product_id from device where id = any(${deviceIds}::uuid[])
    union select product_id from record_source where device_id = any(${deviceIds}::uuid[]))`;
  return devicesIn(
    await rows<DevicesFound>(sql`select ${deviceColumns(sql`${deviceIds}::uuid[]`, products)}`, 'devices of any time'),
  );
};
