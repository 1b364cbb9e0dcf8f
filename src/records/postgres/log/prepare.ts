import type { Pool } from 'pg';
import { type AttributeNeed, loadAttributes } from '#records/derive/attribute.js';
import { type Item, Rejection } from '#records/item.js';
import { catalogued, createRecord, type NewRecord, timeOfItem } from '#records/new-record.js';
import type { AppendCall } from '#records/record-log.js';
import { type ProductShape, ProductShapes } from '#records/scope/product-shape.js';
import type { RecordDevice } from '#records/stored-record.js';
import { Partitions } from '../upkeep/partition.js';
import { type LoadedDevices, loadDevices } from './device.js';
import { Fields } from './field.js';

/** Prepared item: a record to store, or the reason why it is not stored. */
export type Prepared = NewRecord | Rejection;

/** Ingest cache: it saves queries, may be dropped at any time, and holds no state of records. */
export interface IngestCache {
  shapes: ProductShapes;
  fields: Fields;
  partitions: PartitionKeeper;
}

/** Makes sure that records have a partition. */
export type PartitionKeeper = Pick<Partitions, 'ensure' | 'forget'>;

/** Creates an empty ingest cache. */
export const createIngestCache = (partitions: PartitionKeeper = new Partitions()): IngestCache => ({
  shapes: new ProductShapes(),
  fields: new Fields(),
  partitions,
});

/**
 * Turns items into records before any transaction is open: finds their devices, decodes frames, types values, and makes
 * sure that slots, catalogue entries and partitions exist. `now` is in Unix seconds.
 */
export const prepare = async (
  pool: Pool,
  { shapes, fields, partitions }: IngestCache,
  calls: readonly Pick<AppendCall, 'organizationId' | 'items'>[],
  now: number,
): Promise<Prepared[][]> => {
  const devices = await loadDevices(pool, calls);
  await shapes.load(pool, devices.products());
  const attributes = await loadAttributes(pool, needsOf(calls, devices, shapes, now));
  const arrivedAt = Date.now();
  const prepared = calls.map(({ organizationId, items }) =>
    items.map((item): Prepared => {
      if (item instanceof Rejection) return item;
      const device = devices.find(organizationId, item);
      return device
        ? createRecord(item, device, shapeOf(device, shapes), now, arrivedAt, attributes)
        : unknownDevice(item);
    }),
  );
  const times: number[] = [];
  for (const items of prepared)
    for (const record of items) {
      if (record instanceof Rejection) continue;
      const { metadata, data } = catalogued(record);
      fields.note(record.device, metadata, data);
      times.push(record.ts);
    }
  await fields.flush(pool);
  await partitions.ensure(pool, times, now);
  return prepared;
};

/** Yields the items of products whose formulas read attributes. */
function* needsOf(
  calls: readonly Pick<AppendCall, 'organizationId' | 'items'>[],
  devices: LoadedDevices,
  shapes: ProductShapes,
  now: number,
): Generator<AttributeNeed> {
  // Most products have no formulas, and their items are not looked at.
  if (![...devices.products()].some((use) => readsAttributes(shapes.get(use)))) return;
  for (const { organizationId, items } of calls)
    for (const item of items) {
      if (item instanceof Rejection) continue;
      const device = devices.find(organizationId, item);
      const names = (device && shapeOf(device, shapes))?.derivation?.attributes ?? [];
      if (device && names.length > 0) yield { deviceId: device.id, ts: timeOfItem(item, now), names };
    }
}

const readsAttributes = (shape: ProductShape | undefined): boolean =>
  shape?.derivation !== undefined && shape.derivation.attributes.length > 0;

const shapeOf = ({ product, organizationId }: RecordDevice, shapes: ProductShapes): ProductShape | undefined =>
  product && shapes.get({ id: product.id, foreign: product.organizationId !== organizationId });

const unknownDevice = ({ serials, deviceId }: Item): Rejection =>
  new Rejection(
    'UNKNOWN_DEVICE',
    deviceId === undefined
      ? `No device of the organization has the serial ${serials[0] ?? ''}; register it first.`
      : `The organization has no device ${deviceId}.`,
  );
