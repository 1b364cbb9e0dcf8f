import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import type { VariableType } from '#entities/enums.js';
import type { PlainJson } from '#json/json.js';
import type { Item, PlainObject } from '#records/item.js';
import { loadDevices } from '#records/postgres/log/device.js';
import type { ProductShape } from '#records/scope/product-shape.js';
import { slotKind } from '#records/scope/slot.js';
import { variablesFor } from '#records/scope/variable.js';
import type { RecordDevice } from '#records/stored-record.js';
import { isObject, setKey } from './exported-column.js';

/** Variables of a device's product. Nothing is stored by them, so every slot is the first one. */
export interface Declared extends ProductShape {
  types: ReadonlyMap<string, VariableType>;
}

/** A device that an item names, and what its product declares. */
export interface DeclaringDevice {
  device: RecordDevice;
  declared?: Declared;
}

type Named = Pick<Item, 'serials' | 'deviceId'>;

/** Loads the devices that items name, with the variables of their products as the organization sees them. */
export const loadDeclaring = async (
  tx: PoolClient,
  organizationId: string,
  items: readonly Named[],
): Promise<(item: Named) => DeclaringDevice | undefined> => {
  if (items.length === 0) return () => undefined;
  const asItem = ({ serials, deviceId }: Named): Item => ({
    serials,
    ...(deviceId !== undefined && { deviceId }),
    data: {},
    metadata: {},
  });
  const devices = await loadDevices(tx, [{ organizationId, items: items.map(asItem) }]);
  const products = [...new Set([...devices.products()].map(({ id }) => id))];
  const { rows } = await tx.query<{ id: string; variables: ProductShape['variables'] }>(sql`
    select p.id, ${variablesFor(sql`${organizationId}::uuid`)} as variables from product p
     where p.id = any(${products}::uuid[])`);
  const byProduct = new Map(rows.map(({ id, variables }) => [id, declaredBy(variables)]));
  return (item) => {
    const device = devices.find(organizationId, asItem(item));
    if (device === undefined) return undefined;
    const declared = device.product && byProduct.get(device.product.id);
    return { device, ...(declared && { declared }) };
  };
};

const declaredBy = (variables: ProductShape['variables']): Declared => ({
  variables,
  slots: variables.map(({ name, type }) => ({ name, type, kind: slotKind(type), slot: 1 })),
  types: new Map(variables.map(({ name, type }) => [name, type])),
});

/**
 * Moves values that columns nested by the dots of their names to keys with these names, if the device's product
 * declares them.
 */
export const keepNames = (data: PlainObject, dotted: readonly string[], declared: Declared | undefined): void => {
  for (const name of dotted) {
    if (!declared?.types.has(name) || Object.hasOwn(data, name)) continue;
    const value = takeNested(data, name.split('.'));
    if (value !== undefined) setKey(data, name, value);
  }
};

/** Takes a value out of nested objects, and removes those that it leaves empty. */
const takeNested = (object: PlainObject, [key = '', ...rest]: readonly string[]): PlainJson | undefined => {
  const inner = Object.hasOwn(object, key) ? object[key] : undefined;
  if (rest.length > 0 && !isObject(inner)) return undefined;
  const value = rest.length > 0 ? takeNested(inner as PlainObject, rest) : inner;
  if (value !== undefined && (rest.length === 0 || Object.keys(inner as PlainObject).length === 0)) delete object[key];
  return value;
};
