import DataLoader from 'dataloader';
import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { targetOf } from '#audit/fields.js';
import { loadDevice } from '#auth/access.js';
import { change } from '#auth/execute.js';
import { policies } from '#auth/policies.js';
import { invalid } from '#common/errors.js';
import { GraphOnly } from '#entities/columns.js';
import { Device } from '#entities/device.js';
import { MeterExchange } from '#entities/meter-exchange.js';
import { loaderOf } from '#listing/loader.js';
import type { Context } from '#schema/context.js';
import { DeclareMeterExchangeArgs, MeterExchangeArgs } from './meter-exchange.args.js';

/** Maximum number of exchanges of a device's meters. */
const maxExchanges = 100;

interface ExchangeRow extends MeterExchange {
  deviceId: string;
}

/** Resolves exchanges of meters, from which the increase of counters continues. */
@Resolver(() => Device)
export class MeterExchangeResolver {
  @FieldResolver(() => [MeterExchange], {
    description: "Declared exchanges of the device's meters, at most 100, in the order of variables and times.",
  })
  @GraphOnly()
  meterExchanges(@Root() { id }: Device, @Ctx() ctx: Context): Promise<MeterExchange[]> {
    const make = () =>
      new DataLoader<string, MeterExchange[]>(async (ids) => {
        const rows = await ctx.read<ExchangeRow>(sql`
          select device_id as "deviceId", variable, extract(epoch from ts)::float8 as ts, value
            from counter_exchange where device_id = any(${ids}::uuid[]) order by variable, ts`);
        const byDevice = Map.groupBy(rows, ({ deviceId }) => deviceId);
        return ids.map((each) => byDevice.get(each) ?? []);
      });
    return loaderOf(ctx, 'device.meterExchanges', make).load(id);
  }

  @Mutation(() => Device, {
    description:
      'Declares that a meter was exchanged, or corrects the first value of the new one: from `ts` on, its counter continues from `value`.',
  })
  async declareMeterExchange(
    @Args(() => DeclareMeterExchangeArgs) { variable, ts, value, ...args }: DeclareMeterExchangeArgs,
    @Ctx() ctx: Context,
  ): Promise<Device> {
    const device = await loadDevice(ctx, args, policies.device.change);
    const [counted] = await ctx.read<{ count: number }>(sql`
      select count(*)::int as count from counter_exchange
       where device_id = ${device.id} and (variable, ts) <> (${variable}, to_timestamp(${ts}::float8))`);
    if (counted!.count >= maxExchanges)
      throw invalid([{ path: 'deviceId', message: `has ${maxExchanges} exchanges already: remove one first` }]);
    await change(
      ctx,
      sql`
        insert into counter_exchange (organization_id, device_id, variable, ts, value)
        values (${device.organizationId}, ${device.id}, ${variable}, to_timestamp(${ts}::float8), ${value})
        on conflict (device_id, variable, ts) do update set value = excluded.value`,
      targetOf('Device', device),
      { meterExchange: [null, { variable, ts, value }] },
    );
    return device;
  }

  @Mutation(() => Device, { description: 'Removes a declared exchange of a meter.' })
  async removeMeterExchange(
    @Args(() => MeterExchangeArgs) { variable, ts, ...args }: MeterExchangeArgs,
    @Ctx() ctx: Context,
  ): Promise<Device> {
    const device = await loadDevice(ctx, args, policies.device.change);
    await change(
      ctx,
      sql`
        delete from counter_exchange
         where device_id = ${device.id} and variable = ${variable} and ts = to_timestamp(${ts}::float8)`,
      targetOf('Device', device),
      { meterExchange: [{ variable, ts }, null] },
    );
    return device;
  }
}
