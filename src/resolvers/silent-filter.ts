import DataLoader from 'dataloader';
import sql, { join, type Sql } from 'sql-template-tag';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import type { DeviceFilterInput } from '#schema/device-filter.args.js';
import { type DeviceFilter, deviceConditions, filterTimeout } from './device-filter.js';
import { refusalOf } from './list-read.js';
import { loaderOf } from './loader.js';

/** The part of the record index that finds silent devices. */
export type Silence = Pick<RecordIndex, 'silentDevices'>;

/** Maximum number of devices per query of the index. */
const pageSize = 50_000;

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
  const end = performance.now() + filterTimeout;
  const left = () => Math.max(1, Math.ceil(end - performance.now()));
  const silent: string[] = [];
  try {
    for (let after: Sql[] = []; ; ) {
      const page = sql`
        select d.id from device d where ${join([...conditions, ...after], ' and ')} order by d.id limit ${pageSize}`;
      const ids = ((await ctx.readWithin(page, left())) as { id: string }[]).map(({ id }) => id);
      if (ids.length > 0) silent.push(...(await index.silentDevices(ctx, ids, silentSince!, left())));
      if (ids.length < pageSize) return silent;
      after = [sql`d.id > ${ids.at(-1)!}::uuid`];
    }
  } catch (error) {
    throw refusalOf(error, filterTimeout);
  }
};
