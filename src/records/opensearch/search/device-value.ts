import sql from 'sql-template-tag';
import type { Field } from '../../../search/field/field.js';
import type { Point } from '../../../search/syntax/geo-point.js';
import type { Rows } from '../../postgres/search/snapshot-reader.js';

/** A device as it is now. */
export interface DeviceNow {
  readonly number: number;
  readonly serial: string;
  readonly name: string | null;
  readonly tags: readonly string[];
  readonly lat: number | null;
  readonly lon: number | null;
}

/** What devices have in the fields that are theirs, by their numbers. */
export class DeviceValues {
  private readonly byNumber: ReadonlyMap<number, DeviceNow>;

  constructor(readonly all: readonly DeviceNow[]) {
    this.byNumber = new Map(all.map((device) => [device.number, device]));
  }

  /** The device of a number. */
  of(number: number): DeviceNow | undefined {
    return this.byNumber.get(number);
  }
}

/** Reads devices as they are now. */
export const loadDeviceValues = async (rows: Rows, deviceIds: readonly string[]): Promise<DeviceValues> =>
  new DeviceValues(
    await rows<DeviceNow>(
      sql`select number, serial, name, tags, lat, lon from device where id = any(${deviceIds}::uuid[]) order by number`,
    ),
  );

/** The texts of a device in a field of its own, each once. */
export const textsOf = ({ path }: Field, device: DeviceNow): readonly string[] => {
  switch (path) {
    case 'device.serial':
      return [device.serial];
    case 'device.name':
      return device.name === null ? [] : [device.name];
    case 'device.tags':
      return [...new Set(device.tags)];
    default:
      return [];
  }
};

/** Where a device is; undefined where nobody said. */
export const placeOf = ({ lat, lon }: DeviceNow): Point | undefined =>
  lat === null || lon === null ? undefined : { lat, lon };
