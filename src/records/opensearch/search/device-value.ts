import sql from 'sql-template-tag';
import type { Rows } from '#records/scope/snapshot-reader.js';
import type { Field } from '#search/field/field.js';
import type { Point } from '#search/syntax/geo-point.js';
import { requireNoAttribute } from './engine-field.js';

/** Current values of a device. */
export interface DeviceNow {
  readonly number: number;
  readonly serial: string;
  readonly name: string | null;
  readonly tags: readonly string[];
  /** Identifiers of the device's site and of those above it. */
  readonly sites: readonly string[];
  readonly lat: number | null;
  readonly lon: number | null;
}

/** Current values of devices, by device number. */
export class DeviceValues {
  private readonly byNumber: ReadonlyMap<number, DeviceNow>;

  constructor(readonly all: readonly DeviceNow[]) {
    this.byNumber = new Map(all.map((device) => [device.number, device]));
  }

  /** Returns the device with a number. */
  of(number: number): DeviceNow | undefined {
    return this.byNumber.get(number);
  }
}

/** Reads the current values of devices. */
export const loadDeviceValues = async (rows: Rows, deviceIds: readonly string[]): Promise<DeviceValues> =>
  new DeviceValues(
    await rows<DeviceNow>(
      sql`select d.number, d.serial, d.name, d.tags, d.lat, d.lon, coalesce(s.path, '{}') as sites from device d
            left join device_site ds on ds.device_id = d.id and ds.ended_at is null left join site s on s.id = ds.site_id
           where d.id = any(${deviceIds}::uuid[]) order by d.number`,
    ),
  );

/** Returns the distinct texts of a device in one of its own fields. */
export const textsOf = (field: Field, device: DeviceNow): readonly string[] => {
  switch (field.path) {
    case 'device.serial':
      return [device.serial];
    case 'device.name':
      return device.name === null ? [] : [device.name];
    case 'device.tags':
      return [...new Set(device.tags)];
    case 'device.site.id':
      return device.sites;
    default:
      requireNoAttribute(field);
      return [];
  }
};

/** Returns the location of a device; undefined for an unknown one. */
export const locationOf = ({ lat, lon }: DeviceNow): Point | undefined =>
  lat === null || lon === null ? undefined : { lat, lon };
