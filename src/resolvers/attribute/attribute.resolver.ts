import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { loadDevice, loadSite } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { Attribute, Attributes, AttributeVersion } from '#entities/attribute.js';
import { GraphOnly } from '#entities/columns.js';
import { Device } from '#entities/device.js';
import { Site } from '#entities/site.js';
import type { Context } from '#schema/context.js';
import {
  AttributeVersionsArgs,
  DeviceAttributesArgs,
  RemoveDeviceAttributeArgs,
  RemoveSiteAttributeArgs,
  SetDeviceAttributesArgs,
  SetSiteAttributesArgs,
  SiteAttributesArgs,
} from './attribute.args.js';
import { AttributesOf } from './attributes-of.js';

/** Resolves attributes of devices: values that people give them, with the times from which these hold. */
@Resolver(() => Device)
export class DeviceAttributeResolver {
  private readonly of: AttributesOf;

  constructor(clock: () => number) {
    this.of = new AttributesOf('device', clock);
  }

  @FieldResolver(() => [Attribute], {
    description: 'Attributes of the device that hold now, in the order of their names.',
  })
  @GraphOnly()
  attributes(@Root() { id }: Device, @Ctx() ctx: Context): Promise<Attribute[]> {
    return this.of.present(ctx, id);
  }

  @FieldResolver(() => [String], {
    description: 'Names of all attributes of the device, also of those without a value now, in order.',
  })
  @GraphOnly()
  attributeNames(@Root() { id }: Device, @Ctx() ctx: Context): Promise<string[]> {
    return this.of.names(ctx, id);
  }

  @FieldResolver(() => [AttributeVersion], {
    description: 'Values of an attribute over time, the newest first, at most 100.',
  })
  @GraphOnly()
  attributeVersions(
    @Root() { id }: Device,
    @Args(() => AttributeVersionsArgs) args: AttributeVersionsArgs,
    @Ctx() ctx: Context,
  ): Promise<AttributeVersion[]> {
    return this.of.versions(ctx, id, args);
  }

  @Query(() => Attributes, { description: 'Attributes of a device at a time.' })
  async deviceAttributes(
    @Args(() => DeviceAttributesArgs) args: DeviceAttributesArgs,
    @Ctx() ctx: Context,
  ): Promise<Attributes> {
    return this.of.at(ctx, (await loadDevice(ctx, args, policies.device.read)).id, args.at);
  }

  @Mutation(() => Attributes, {
    description:
      'Sets attributes of a device, each from a time on. Derived variables that read them hold from then on; `recomputeProduct` computes earlier records again. Returns the attributes that hold now.',
  })
  setDeviceAttributes(
    @Args(() => SetDeviceAttributesArgs) { attributes, ...args }: SetDeviceAttributesArgs,
    @Ctx() ctx: Context,
  ): Promise<Attributes> {
    return this.of.set(ctx, attributes, () => loadDevice(ctx, args, policies.device.change));
  }

  @Mutation(() => Attributes, {
    description: 'Removes an attribute of a device with all its values over time, or one of these.',
  })
  async removeDeviceAttribute(
    @Args(() => RemoveDeviceAttributeArgs) args: RemoveDeviceAttributeArgs,
    @Ctx() ctx: Context,
  ): Promise<Attributes> {
    return this.of.remove(ctx, await loadDevice(ctx, args, policies.device.change), args);
  }
}

/** Resolves attributes of sites in the same way. */
@Resolver(() => Site)
export class SiteAttributeResolver {
  private readonly of: AttributesOf;

  constructor(clock: () => number) {
    this.of = new AttributesOf('site', clock);
  }

  @FieldResolver(() => [Attribute], {
    description: 'Attributes of the site that hold now, in the order of their names.',
  })
  @GraphOnly()
  attributes(@Root() { id }: Site, @Ctx() ctx: Context): Promise<Attribute[]> {
    return this.of.present(ctx, id);
  }

  @FieldResolver(() => [String], {
    description: 'Names of all attributes of the site, also of those without a value now, in order.',
  })
  @GraphOnly()
  attributeNames(@Root() { id }: Site, @Ctx() ctx: Context): Promise<string[]> {
    return this.of.names(ctx, id);
  }

  @FieldResolver(() => [AttributeVersion], {
    description: 'Values of an attribute over time, the newest first, at most 100.',
  })
  @GraphOnly()
  attributeVersions(
    @Root() { id }: Site,
    @Args(() => AttributeVersionsArgs) args: AttributeVersionsArgs,
    @Ctx() ctx: Context,
  ): Promise<AttributeVersion[]> {
    return this.of.versions(ctx, id, args);
  }

  @Query(() => Attributes, { description: 'Attributes of a site at a time.' })
  async siteAttributes(
    @Args(() => SiteAttributesArgs) args: SiteAttributesArgs,
    @Ctx() ctx: Context,
  ): Promise<Attributes> {
    return this.of.at(ctx, (await loadSite(ctx, args, policies.site.read)).id, args.at);
  }

  @Mutation(() => Attributes, {
    description: 'Sets attributes of a site, each from a time on. Returns the attributes that hold now.',
  })
  setSiteAttributes(
    @Args(() => SetSiteAttributesArgs) { attributes, ...args }: SetSiteAttributesArgs,
    @Ctx() ctx: Context,
  ): Promise<Attributes> {
    return this.of.set(ctx, attributes, () => loadSite(ctx, args, policies.site.change));
  }

  @Mutation(() => Attributes, {
    description: 'Removes an attribute of a site with all its values over time, or one of these.',
  })
  async removeSiteAttribute(
    @Args(() => RemoveSiteAttributeArgs) args: RemoveSiteAttributeArgs,
    @Ctx() ctx: Context,
  ): Promise<Attributes> {
    return this.of.remove(ctx, await loadSite(ctx, args, policies.site.change), args);
  }
}
