import sql, { type Sql } from 'sql-template-tag';
import { Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { authorize, loadDevice } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { ApiToken, NewApiToken } from '#entities/api-token.js';
import { TokenScope } from '#entities/enums.js';
import { endToken, makeToken, tokenListing } from '#listing/api-tokens.js';
import { list } from '#listing/list.js';
import type { Context } from '#schema/context.js';
import { ApiTokenPage } from '#schema/pages.js';
import { CreateDeviceTokenArgs, DeviceTokenArgs, DeviceTokensArgs } from './api-token.args.js';

/**
 * Resolves the tokens of devices, which only owners of the organization may read and create. They are deleted with
 * their device.
 */
@Resolver(() => ApiToken)
export class DeviceTokenResolver {
  /** @param clock returns milliseconds since the epoch. */
  constructor(private readonly clock: () => number) {}

  @Query(() => ApiTokenPage, {
    nullable: true,
    description: 'The tokens of a device, including revoked and expired ones.',
  })
  async deviceTokens(@Args(() => DeviceTokensArgs) args: DeviceTokensArgs, @Ctx() ctx: Context): Promise<ApiTokenPage> {
    await requireDevice(ctx, args);
    return list<ApiToken>(ctx, tokenListing(ofDevice(args)), args);
  }

  @Mutation(() => NewApiToken, {
    description:
      'Creates a token that may post records of the device and do nothing else. It is shown only in this answer.',
  })
  async createDeviceToken(
    @Args(() => CreateDeviceTokenArgs) args: CreateDeviceTokenArgs,
    @Ctx() ctx: Context,
  ): Promise<NewApiToken> {
    await requireDevice(ctx, args);
    const { organizationId, deviceId, name, expiresAt } = args;
    return makeToken(ctx.em, { organizationId, deviceId, scope: TokenScope.ingest, name, expiresAt }, this.clock());
  }

  @Mutation(() => ApiToken, { description: 'Revokes a token of a device permanently.' })
  async revokeDeviceToken(@Args(() => DeviceTokenArgs) args: DeviceTokenArgs, @Ctx() ctx: Context): Promise<ApiToken> {
    await requireDevice(ctx, args);
    return endToken(ctx, args.tokenId, ofDevice(args));
  }
}

interface DeviceKey {
  readonly organizationId: string;
  readonly deviceId: string;
}

/**
 * Checks that the caller may manage a device's tokens.
 * @throws notFound when the caller cannot read the device, forbidden when the caller is not an owner.
 */
const requireDevice = async (ctx: Context, { organizationId, deviceId }: DeviceKey): Promise<void> => {
  await loadDevice(ctx, { organizationId, deviceId }, policies.device.read);
  authorize(ctx, organizationId, policies.deviceToken.change);
};

const ofDevice = ({ organizationId, deviceId }: DeviceKey): Sql[] => [
  sql`k.organization_id = ${organizationId}`,
  sql`k.device_id = ${deviceId}`,
];
