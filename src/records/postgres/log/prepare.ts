import type { Pool } from 'pg';
import { type Item, type ItemResult, Rejection } from '../../item.js';
import { type NewRecord, recordOf } from '../../new-record.js';
import type { AppendCall } from '../../record-log.js';
import type { RecordDevice } from '../../stored-record.js';
import { Partitions } from '../upkeep/partition.js';
import { loadDevices } from './device.js';
import { Fields } from './field.js';
import { type ProductShape, ProductShapes } from './product.js';

/** What became of an item so far: a record to store, or why it is not. */
export type Prepared = NewRecord | Rejection;

/** What the store keeps in memory to ask less: all of it can be forgotten, none of it is a record's state. */
export interface Knowledge {
  shapes: ProductShapes;
  fields: Fields;
  partitions: PartitionKeeper;
}

/** Sees to it that records find their partition. */
export type PartitionKeeper = Pick<Partitions, 'ensure' | 'forget'>;

/** Knows nothing yet. */
export const noKnowledge = (partitions: PartitionKeeper = new Partitions()): Knowledge => ({
  shapes: new ProductShapes(),
  fields: new Fields(),
  partitions,
});

/**
 * Makes records of items, before any transaction is open: finds their devices, decodes frames, types values, and sees to it
 * that slots, catalogue and partitions are there. `now` in Unix seconds.
 */
export const prepare = async (
  pool: Pool,
  { shapes, fields, partitions }: Knowledge,
  calls: readonly Pick<AppendCall, 'organizationId' | 'items'>[],
  now: number,
): Promise<Prepared[][]> => {
  const devices = await loadDevices(pool, calls);
  await shapes.load(pool, devices.products());
  const prepared = calls.map(({ organizationId, items }) =>
    items.map((item): Prepared => {
      if (item instanceof Rejection) return item;
      const device = devices.find(organizationId, item);
      return device ? recordOf(item, device, shapeOf(device, shapes), now) : unknownDevice(item);
    }),
  );
  const moments: number[] = [];
  for (const of of prepared)
    for (const record of of) {
      if (record instanceof Rejection) continue;
      fields.note(record.device.organizationId, record.metadata, record.data);
      moments.push(record.ts);
    }
  await fields.flush(pool);
  await partitions.ensure(pool, moments, now);
  return prepared;
};

const shapeOf = ({ product, organizationId }: RecordDevice, shapes: ProductShapes): ProductShape | undefined =>
  product && shapes.get({ id: product.id, foreign: product.organizationId !== organizationId });

const unknownDevice = ({ serials, deviceId }: Item): Rejection =>
  new Rejection(
    'UNKNOWN_DEVICE',
    deviceId === undefined
      ? `No device of the organization has the serial ${serials[0] ?? ''}; register it first.`
      : `The organization has no device ${deviceId}.`,
  );

/** The result of an item that was prepared, with what it repeats if it does. */
export const resultOf = (prepared: Prepared, repeated: string | undefined): ItemResult => {
  if (prepared instanceof Rejection)
    return { status: 'rejected', error: { code: prepared.code, message: prepared.message } };
  if (repeated !== undefined) return { status: 'duplicate', recordId: repeated };
  return { status: 'stored', recordId: prepared.id };
};
