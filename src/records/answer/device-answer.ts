import type { PlainJson } from '#json/json.js';

/** A device as hits show it. */
export interface DeviceRow {
  id: string;
  serial: string;
  name: string | null;
  tags: string[];
  lat: number | null;
  lon: number | null;
}

/** Current devices, and the organizations of products, by identifier. */
export interface AnswerDevices {
  readonly devices: ReadonlyMap<string, DeviceRow>;
  readonly owners: ReadonlyMap<string, string>;
  /** Products that have changed the type of a variable. */
  readonly retyped: ReadonlySet<string>;
}

/** Builds `_source.device`: the current device, with the product at the time of storing. */
export const deviceJson = (
  { devices, owners }: Pick<AnswerDevices, 'devices' | 'owners'>,
  id: string,
  productId: string | null,
  organizationId: string,
): PlainJson => {
  const device = devices.get(id);
  if (device === undefined) return { id, organizationId };
  const owner = productId === null ? undefined : owners.get(productId);
  return {
    id,
    serial: device.serial,
    ...(device.name !== null && { name: device.name }),
    organizationId,
    tags: device.tags,
    ...(productId !== null && { product: { id: productId, ...(owner !== undefined && { organizationId: owner }) } }),
    ...(device.lat !== null && device.lon !== null && { location: { lat: device.lat, lon: device.lon } }),
  };
};
