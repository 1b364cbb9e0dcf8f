import sql, { type Sql } from 'sql-template-tag';
import { Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { targetOf } from '#audit/fields.js';
import { authorize, loadProduct, referredProduct } from '#auth/access.js';
import { execute } from '#auth/execute.js';
import { policies } from '#auth/policies.js';
import { violates } from '#common/constraints.js';
import { conflict, forbidden } from '#common/errors.js';
import { NewApiToken } from '#entities/api-token.js';
import { Device } from '#entities/device.js';
import { TokenScope } from '#entities/enums.js';
import { newId } from '#entities/id.js';
import { NewProvisioningToken, ProvisioningToken } from '#entities/provisioning-token.js';
import { serialKey } from '#entities/serial.js';
import { endToken, makeToken } from '#listing/api-tokens.js';
import { list } from '#listing/list.js';
import { provisioningTokenListing, provisioningTokenRows } from '#listing/provisioning-tokens.js';
import type { Context } from '#schema/context.js';
import { ProvisioningTokenPage } from '#schema/pages.js';
import { Provisions } from '#schema/scope.js';
import {
  CreateProvisioningTokenArgs,
  ProvisionDeviceArgs,
  ProvisioningTokenArgs,
  ProvisioningTokensArgs,
} from './provisioning.args.js';

/** Resolves provisioning tokens, which only owners may read and create, and the registration of devices with them. */
@Resolver(() => ProvisioningToken)
export class ProvisioningResolver {
  /** @param clock returns milliseconds since the epoch. */
  constructor(private readonly clock: () => number) {}

  @Query(() => ProvisioningTokenPage, {
    nullable: true,
    description: 'The tokens with which devices of a product register themselves, including revoked and expired ones.',
  })
  async provisioningTokens(
    @Args(() => ProvisioningTokensArgs) args: ProvisioningTokensArgs,
    @Ctx() ctx: Context,
  ): Promise<ProvisioningTokenPage> {
    await requireProduct(ctx, args);
    return list<ProvisioningToken>(ctx, provisioningTokenListing(ofProduct(ctx, args)), args);
  }

  @Mutation(() => NewProvisioningToken, {
    description:
      "Creates a token with which a limited number of a product's devices may register themselves until it expires. It is shown only in this answer.",
  })
  async createProvisioningToken(
    @Args(() => CreateProvisioningTokenArgs) args: CreateProvisioningTokenArgs,
    @Ctx() ctx: Context,
  ): Promise<NewProvisioningToken> {
    await requireProduct(ctx, args);
    const { productId, deviceLimit, name, expiresAt } = args;
    const { organizationId } = ctx.caller;
    return ctx.em.transactional(async (em) => {
      const values = { organizationId, productId, scope: TokenScope.ingest, name, expiresAt };
      const { token, apiToken } = await makeToken(em, values, this.clock());
      await execute(em, sql`insert into provisioning (token_id, device_limit) values (${apiToken.id}, ${deviceLimit})`);
      ctx.audit.about(targetOf('ApiToken', apiToken), { deviceLimit: [null, deviceLimit] });
      const { id, prefix, createdAt } = apiToken;
      const shown = { id, organizationId, productId, prefix, deviceLimit, deviceCount: 0, createdAt };
      return { token, provisioningToken: { ...shown, name: name ?? null, expiresAt: expiresAt.toISOString() } };
    });
  }

  @Mutation(() => ProvisioningToken, {
    description:
      'Revokes a provisioning token permanently. Devices that have registered with it stay, as do their tokens.',
  })
  async revokeProvisioningToken(
    @Args(() => ProvisioningTokenArgs) args: ProvisioningTokenArgs,
    @Ctx() ctx: Context,
  ): Promise<ProvisioningToken> {
    await requireProduct(ctx, args);
    const { id } = await endToken(ctx, args.provisioningTokenId, ofProduct(ctx, args));
    const [token] = await ctx.read<ProvisioningToken>(sql`${provisioningTokenRows()} where k.id = ${id}`);
    return token!;
  }

  @Provisions()
  @Mutation(() => NewApiToken, {
    description:
      'Registers the calling device with a provisioning token. The organization must not have a device with this serial number. Returns a token that posts records of this device and is shown only in this answer.',
  })
  async provisionDevice(
    @Args(() => ProvisionDeviceArgs) { deviceSerial }: ProvisionDeviceArgs,
    @Ctx() ctx: Context,
  ): Promise<NewApiToken> {
    // Each attempt counts, even a successful one. Otherwise the answers would reveal at any speed which serial numbers
    // exist.
    await ctx.countUnknown();
    const { organizationId, productId, tokenId } = ctx.caller;
    const product = await referredProduct(ctx, { id: productId! });
    const device = Object.assign(new Device(), { id: newId(), organizationId, serial: deviceSerial }).change({
      product,
    });
    return ctx.em.transactional(async (em) => {
      // The row stays locked until the end: of two devices that compete for the last place, the second finds none.
      const placed = await execute(
        em,
        sql`update provisioning set device_count = device_count + 1
             where token_id = ${tokenId} and device_count < device_limit returning 1 as one`,
      );
      if (placed.length === 0)
        throw forbidden('As many devices as this token allows have registered with it: use another token.');
      const taken = await execute(
        em,
        sql`select 1 as one from device where organization_id = ${organizationId} and serial_key = ${serialKey(deviceSerial)}`,
      );
      if (taken.length > 0) throw refused();
      try {
        await em.persist(device).flush();
      } catch (error) {
        // Another token or an owner registered the serial number at the same time.
        if (violates(error, 'device_organization_id_serial_key_key')) throw refused();
        throw error;
      }
      const values = { organizationId, deviceId: device.id, scope: TokenScope.ingest, name: 'Provisioned' };
      return makeToken(em, values, this.clock());
    });
  }
}

/**
 * Returns the error for a serial number in use. It is the same for a device of another product, one that an owner
 * registered, and the caller itself.
 */
const refused = () => conflict('This serial cannot be registered with this token.');

interface ProductKey {
  readonly organizationId: string;
  readonly productId: string;
}

/**
 * Checks that the caller may manage the tokens of a product, which is its organization's own or public; the tokens
 * belong to the caller's organization.
 * @throws notFound, or forbidden when the caller is not an owner.
 */
const requireProduct = async (ctx: Context, { organizationId, productId }: ProductKey): Promise<void> => {
  await loadProduct(ctx, { organizationId, productId }, policies.product.read);
  authorize(ctx, ctx.caller.organizationId, policies.provisioningToken.change);
};

const ofProduct = ({ caller }: Context, { productId }: ProductKey): Sql[] => [
  sql`k.organization_id = ${caller.organizationId}`,
  sql`k.product_id = ${productId}`,
];
