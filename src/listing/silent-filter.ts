import DataLoader from 'dataloader';
import sql, { join } from 'sql-template-tag';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import type { DeviceFilterInput } from './device-filter.args.js';
import { type DeviceFilter, deviceConditions, filterTimeout } from './device-filter.js';
import { timeoutRefusal } from './list-read.js';
import { loaderOf } from './loader.js';

/** The part of the record index that finds silent devices. */
export type Silence = Pick<RecordIndex, 'silentDevices'>;

/**
 * Turns a filter into one that PostgreSQL can evaluate: it finds which devices that match the rest of the filter are
 * silent. All lists of a call with the same filter share the result.
 * @throws invalid (422) when it takes too long.
 */
export const readFilter = async (
  ctx: Context,
  index: Silence,
  filter: DeviceFilterInput | null | undefined,
): Promise<DeviceFilter | null | undefined> => {
  if (filter?.silentSince == null) return filter;
  const make = () =>
    new DataLoader<string, string[]>((keys) =>
      Promise.all(keys.map((key) => silentIn(ctx, index, JSON.parse(key) as DeviceFilterInput))),
    );
  const silentIds = await loaderOf(ctx, 'device.silent', make).load(JSON.stringify(filter));
  return { ...filter, silentIds };
};

const silentIn = async (
  ctx: Context,
  index: Silence,
  { silentSince, ...rest }: DeviceFilterInput,
): Promise<string[]> => {
  const conditions = [sql`d.organization_id = ${ctx.caller.organizationId}`, ...deviceConditions(ctx.caller, rest)];
  try {
    const devices = sql`select d.id from device d where ${join(conditions, ' and ')}`;
    return await index.silentDevices(ctx, devices, silentSince!, filterTimeout);
  } catch (error) {
    throw timeoutRefusal(error, filterTimeout);
  }
};
