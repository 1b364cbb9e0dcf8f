import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { can, policies } from '#auth/policies.js';
import { Organization } from '#entities/account.js';
import { GraphOnly } from '#entities/columns.js';
import { ofOrganization, tokenListing } from '#listing/api-tokens.js';
import { applicationListing } from '#listing/applications.js';
import { DevicesBelowArgs } from '#listing/device-filter.args.js';
import { deviceListing } from '#listing/devices.js';
import { jobListing } from '#listing/jobs.js';
import { listBelow } from '#listing/list.js';
import { productListing } from '#listing/products.js';
import { readFilter, type Silence } from '#listing/silent-filter.js';
import { teamListing } from '#listing/teams.js';
import { memberListing } from '#listing/users.js';
import type { Context } from '#schema/context.js';
import { PageArgs, SearchablePageArgs } from '#schema/list.args.js';
import {
  ApiTokenPage,
  ApplicationPage,
  DevicePage,
  JobPage,
  OrganizationMemberPage,
  ProductPage,
  TeamPage,
} from '#schema/pages.js';

/** Resolves what belongs to an organization. */
@Resolver(() => Organization)
export class OrganizationEdgesResolver {
  constructor(private readonly index: Silence) {}

  @FieldResolver(() => OrganizationMemberPage, { description: 'Members of the organization.' })
  @GraphOnly()
  members(
    @Root() { id }: Organization,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<OrganizationMemberPage> {
    return listBelow(ctx, 'organization.members', id, () => memberListing([sql`m.organization_id = parent.id`]), args);
  }

  @FieldResolver(() => TeamPage, { description: 'Teams of the organization.' })
  @GraphOnly()
  teams(
    @Root() { id }: Organization,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<TeamPage> {
    const listing = () => teamListing({ where: [sql`t.organization_id = parent.id`], order: sql`t.id` });
    return listBelow(ctx, 'organization.teams', id, listing, args);
  }

  @FieldResolver(() => ProductPage, { description: 'Products that the organization owns.' })
  @GraphOnly()
  products(
    @Root() { id }: Organization,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<ProductPage> {
    const listing = () => productListing(ctx.caller, [sql`p.organization_id = parent.id`]);
    return listBelow(ctx, 'organization.products', id, listing, args);
  }

  @FieldResolver(() => DevicePage, { description: 'Devices of the organization that the caller can read.' })
  @GraphOnly()
  async devices(
    @Root() { id }: Organization,
    @Args(() => DevicesBelowArgs) args: DevicesBelowArgs,
    @Ctx() ctx: Context,
  ): Promise<DevicePage> {
    const where = [sql`d.organization_id = parent.id`, can(ctx.caller, policies.device.read)];
    const filter = await readFilter(ctx, this.index, args.filter);
    const listing = () => deviceListing(ctx.caller, { where, order: sql`d.id`, filter });
    return listBelow(ctx, 'organization.devices', id, listing, args);
  }

  @FieldResolver(() => ApplicationPage, { description: 'Applications of the organization that the caller can read.' })
  @GraphOnly()
  applications(
    @Root() { id }: Organization,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<ApplicationPage> {
    const where = [sql`a.organization_id = parent.id`, can(ctx.caller, policies.application.read)];
    const listing = () => applicationListing(ctx.caller, { where, order: sql`a.id` });
    return listBelow(ctx, 'organization.applications', id, listing, args);
  }

  @FieldResolver(() => ApiTokenPage, {
    nullable: true,
    description: 'Tokens of the organization; only for owners.',
  })
  @GraphOnly()
  tokens(
    @Root() { id }: Organization,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() ctx: Context,
  ): Promise<ApiTokenPage> {
    authorize(ctx, id, policies.apiToken.read);
    return listBelow(
      ctx,
      'organization.tokens',
      id,
      () => tokenListing([sql`k.organization_id = parent.id`, ofOrganization]),
      args,
    );
  }

  @FieldResolver(() => JobPage, { description: 'Jobs of the organization, the newest first.' })
  @GraphOnly()
  jobs(
    @Root() { id }: Organization,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<JobPage> {
    return listBelow(ctx, 'organization.jobs', id, () => jobListing([sql`j.organization_id = parent.id`]), args);
  }
}
