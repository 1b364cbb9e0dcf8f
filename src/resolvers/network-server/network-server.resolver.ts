import sql from 'sql-template-tag';
import { Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { targetOf } from '#audit/fields.js';
import { authorize } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { invalid } from '#common/errors.js';
import type { Network } from '#downlink/network/network.js';
import { newId } from '#entities/id.js';
import { NetworkServer, NetworkServerTest, plainAddress } from '#entities/network-server.js';
import { NetworkServerArgs } from '#listing/identifier.args.js';
import { list } from '#listing/list.js';
import { loadNetworkServer, networkServerListing, requireRoomForServer } from '#listing/network-servers.js';
import type { Context } from '#schema/context.js';
import { OrganizationListArgs } from '#schema/organization.args.js';
import { NetworkServerPage } from '#schema/pages.js';
import { CreateNetworkServerArgs, UpdateNetworkServerArgs } from './network-server.args.js';

const { read, change } = policies.networkServer;

/** Resolves network servers, which only owners may see and change. */
@Resolver(() => NetworkServer)
export class NetworkServerResolver {
  /** @param requireAddress throws for an address that the operator's settings forbid */
  constructor(
    private readonly network: Pick<Network, 'sealKey' | 'test'>,
    private readonly requireAddress: (address: string) => void,
  ) {}

  @Query(() => NetworkServerPage, {
    nullable: true,
    description: 'The network servers of the organization, including those that uplinks proposed.',
  })
  networkServers(
    @Args(() => OrganizationListArgs) args: OrganizationListArgs,
    @Ctx() ctx: Context,
  ): Promise<NetworkServerPage> {
    authorize(ctx, args.organizationId, read);
    return list(ctx, networkServerListing([sql`n.organization_id = ${args.organizationId}`]), args);
  }

  @Query(() => NetworkServer, { nullable: true, description: 'A network server.' })
  networkServer(@Args(() => NetworkServerArgs) args: NetworkServerArgs, @Ctx() ctx: Context): Promise<NetworkServer> {
    return loadNetworkServer(ctx, args, read);
  }

  @Mutation(() => NetworkServer, {
    description:
      'Creates a network server, which then takes the commands for devices that were last heard through this application of it.',
  })
  async createNetworkServer(
    @Args(() => CreateNetworkServerArgs) { organizationId, kind, apiKey, ...values }: CreateNetworkServerArgs,
    @Ctx() ctx: Context,
  ): Promise<NetworkServer> {
    this.requireAddress(values.address);
    authorize(ctx, organizationId, change);
    const id = newId();
    const server = Object.assign(new NetworkServer(), { id, organizationId, kind }).change(values);
    server.apiKey = this.network.sealKey(id, apiKey);
    return ctx.em.transactional(async (em) => {
      await requireRoomForServer(em, organizationId);
      em.persist(server);
      return server;
    });
  }

  @Mutation(() => NetworkServer, {
    description: 'Changes a network server. With another address, the key must be given again.',
  })
  async updateNetworkServer(
    @Args(() => UpdateNetworkServerArgs) { apiKey, ...args }: UpdateNetworkServerArgs,
    @Ctx() ctx: Context,
  ): Promise<NetworkServer> {
    this.requireAddress(args.address);
    const server = await loadNetworkServer(ctx, args, change);
    // Otherwise the key could be read by sending it to another address.
    if (apiKey == null && plainAddress(args.address) !== server.address)
      throw invalid([{ path: 'apiKey', message: 'must be given again with another address' }]);
    server.change(args);
    if (apiKey != null) server.apiKey = this.network.sealKey(server.id, apiKey);
    await ctx.update(server);
    return server;
  }

  @Mutation(() => NetworkServer, { description: 'Deletes a network server. Commands for its devices wait on.' })
  async deleteNetworkServer(
    @Args(() => NetworkServerArgs) args: NetworkServerArgs,
    @Ctx() ctx: Context,
  ): Promise<NetworkServer> {
    const server = await loadNetworkServer(ctx, args, change);
    await ctx.em.remove(server).flush();
    return server;
  }

  @Mutation(() => NetworkServer, {
    description: 'Confirms a network server that uplinks proposed: it then takes commands.',
  })
  async confirmNetworkServer(
    @Args(() => NetworkServerArgs) args: NetworkServerArgs,
    @Ctx() ctx: Context,
  ): Promise<NetworkServer> {
    const server = await loadNetworkServer(ctx, args, change);
    return ctx.em.transactional(async (em) => {
      if (server.proposed) await requireRoomForServer(em, server.organizationId);
      server.proposed = false;
      ctx.audit.about(targetOf('NetworkServer', server));
      return server;
    });
  }

  @Mutation(() => NetworkServerTest, {
    description:
      'Asks a network server whether it would take commands, and waits for its answer. It sends nothing to a device.',
  })
  async testNetworkServer(
    @Args(() => NetworkServerArgs) args: NetworkServerArgs,
    @Ctx() ctx: Context,
  ): Promise<NetworkServerTest> {
    const server = await loadNetworkServer(ctx, args, change);
    await ctx.em.transactional(async () => {
      ctx.audit.about(targetOf('NetworkServer', server));
    });
    return this.network.test(server);
  }
}
