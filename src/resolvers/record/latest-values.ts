import DataLoader from 'dataloader';
import type { LatestValue } from '#entities/latest.js';
import { loaderOf } from '#listing/loader.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';

/** Returns the newest measured values of a device. All devices of a call share one read. */
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
