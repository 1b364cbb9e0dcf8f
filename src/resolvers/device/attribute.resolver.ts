import DataLoader from 'dataloader';
import sql, { empty } from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { targetOf } from '#audit/fields.js';
import { loadDevice } from '#auth/access.js';
import { execute } from '#auth/execute.js';
import { policies } from '#auth/policies.js';
import { invalid } from '#common/errors.js';
import { Attribute, Attributes, type AttributeValue, AttributeVersion } from '#entities/attribute.js';
import { GraphOnly } from '#entities/columns.js';
import { Device } from '#entities/device.js';
import { loaderOf } from '#listing/loader.js';
import { attributesAt } from '#records/derive/attribute.js';
import type { Context } from '#schema/context.js';
import {
  type AttributeInput,
  AttributeVersionsArgs,
  DeviceAttributesArgs,
  RemoveDeviceAttributeArgs,
  repeatedAttributes,
  SetDeviceAttributesArgs,
} from './attribute.args.js';
import { type AttributeWrite, writeAttributes } from './write-attributes.js';

/** Resolves attributes of devices: values that people give them, with the times from which these hold. */
@Resolver(() => Device)
export class AttributeResolver {
  constructor(private readonly clock: () => number) {}

  @FieldResolver(() => [Attribute], {
    description: 'Attributes of the device that hold now, in the order of their names.',
  })
  @GraphOnly()
  attributes(@Root() { id }: Device, @Ctx() ctx: Context): Promise<Attribute[]> {
    const make = () =>
      new DataLoader<string, Attribute[]>(async (ids) => {
        const rows = await ctx.read<Attribute & { ownerId: string }>(attributesAt(sql`${ids}`, this.instant()));
        const byOwner = Map.groupBy(rows, ({ ownerId }) => ownerId);
        return ids.map((each) => byOwner.get(each) ?? []);
      });
    return loaderOf(ctx, 'device.attributes', make).load(id);
  }

  @FieldResolver(() => [AttributeVersion], {
    description: 'Values of an attribute over time, the newest first, at most 100.',
  })
  @GraphOnly()
  attributeVersions(
    @Root() { id }: Device,
    @Args(() => AttributeVersionsArgs) { name, before }: AttributeVersionsArgs,
    @Ctx() ctx: Context,
  ): Promise<AttributeVersion[]> {
    const make = () =>
      new DataLoader<string, AttributeVersion[]>(async (ids) => {
        const rows = await ctx.read<AttributeVersion & { ownerId: string }>(sql`
          select o.id as "ownerId", extract(epoch from v.valid_from)::float8 as "validFrom", v.value
            from unnest(${ids}::uuid[]) o (id) cross join lateral (
              select a.valid_from, a.value from attribute a where a.owner_id = o.id and a.name = ${name}
                ${before == null ? empty : sql`and a.valid_from < to_timestamp(${before}::float8)`}
               order by a.valid_from desc limit 100) v
           order by o.id, v.valid_from desc`);
        const byOwner = Map.groupBy(rows, ({ ownerId }) => ownerId);
        return ids.map((each) => byOwner.get(each) ?? []);
      });
    return loaderOf(ctx, `device.attributeVersions ${before} ${name}`, make).load(id);
  }

  @Query(() => Attributes, { description: 'Attributes of a device at a time.' })
  async deviceAttributes(
    @Args(() => DeviceAttributesArgs) args: DeviceAttributesArgs,
    @Ctx() ctx: Context,
  ): Promise<Attributes> {
    const { id } = await loadDevice(ctx, args, policies.device.read);
    return { attributes: await ctx.read<Attribute>(attributesAt(sql`${[id]}`, this.instant(args.at))) };
  }

  @Mutation(() => Attributes, {
    description:
      'Sets attributes of a device, each from a time on. Derived variables that read them hold from then on; `recomputeProduct` computes earlier records again. Returns the attributes that hold now.',
  })
  async setDeviceAttributes(
    @Args(() => SetDeviceAttributesArgs) { attributes, ...args }: SetDeviceAttributesArgs,
    @Ctx() ctx: Context,
  ): Promise<Attributes> {
    const writes = writesOf(attributes, this.clock() / 1000);
    const device = await loadDevice(ctx, args, policies.device.change);
    return ctx.em.transactional(async (em) => {
      const changes = await writeAttributes(em, device, writes);
      ctx.audit.about(targetOf('Device', device), changes);
      return { attributes: await execute<Attribute>(em, attributesAt(sql`${`{${device.id}}`}`, this.instant())) };
    });
  }

  @Mutation(() => Attributes, {
    description: 'Removes an attribute of a device with all its values over time, or one of these.',
  })
  async removeDeviceAttribute(
    @Args(() => RemoveDeviceAttributeArgs) { name, validFrom, ...args }: RemoveDeviceAttributeArgs,
    @Ctx() ctx: Context,
  ): Promise<Attributes> {
    const device = await loadDevice(ctx, args, policies.device.change);
    return ctx.em.transactional(async (em) => {
      const removed = await execute<{ value: AttributeValue | null }>(
        em,
        sql`delete from attribute where owner_id = ${device.id} and name = ${name}
              ${validFrom == null ? empty : sql`and valid_from = to_timestamp(${validFrom}::float8)`} returning value`,
      );
      ctx.audit.about(targetOf('Device', device), {
        [`attributes.${name}`]: [removed.map(({ value }) => value), null],
      });
      return { attributes: await execute<Attribute>(em, attributesAt(sql`${`{${device.id}}`}`, this.instant())) };
    });
  }

  private readonly instant = (at?: number | null) => sql`to_timestamp(${at ?? this.clock() / 1000}::float8)`;
}

/** Returns the values to set. `now` is in Unix seconds. */
const writesOf = (attributes: readonly AttributeInput[], now: number): AttributeWrite[] => {
  const faults = repeatedAttributes(attributes);
  if (faults.length > 0) throw invalid(faults);
  return attributes.map(({ name, value, validFrom }) => ({ name, value: value ?? null, validFrom: validFrom ?? now }));
};
