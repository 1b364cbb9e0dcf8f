import DataLoader from 'dataloader';
import type { LatestValue } from '../entities/latest.js';
import type { RecordIndex } from '../records/record-index.js';
import type { Context } from '../schema/context.js';
import { loaderOf } from './loader.js';

/** The newest measured values of a device; one look for all devices of a call. */
export function latestOfDevice(
  ctx: Context,
  index: Pick<RecordIndex, 'latest'>,
  deviceId: string,
): Promise<LatestValue[]> {
  const make = () =>
    new DataLoader<string, LatestValue[]>(async (ids) => {
      const found = await index.latest(ids, ctx.weighRows);
      return ids.map((each) => found.get(each) ?? []);
    });
  return loaderOf(ctx, 'device.latest', make).load(deviceId);
}
