import { Args, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { authorize, loadApplication } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { Application } from '#entities/application.js';
import { GraphOnly } from '#entities/columns.js';
import { DashboardLink, DashboardLinkSecret } from '#entities/dashboard-link.js';
import { endLink, linksOf, makeLink } from '#listing/dashboard-links.js';
import type { Context } from '#schema/context.js';
import { CreateDashboardLinkArgs, DashboardLinkArgs } from './dashboard.args.js';

/** Resolves links to dashboards, which only owners read, make and end. */
@Resolver(() => DashboardLink)
export class DashboardLinkResolver {
  /** @param clock returns milliseconds since the epoch. */
  constructor(private readonly clock: () => number) {}

  @Mutation(() => DashboardLinkSecret, {
    description:
      'Creates a link that shows the dashboard of an application to whoever has it, at most 100 per application. The link is shown only in this answer.',
  })
  async createDashboardLink(
    @Args(() => CreateDashboardLinkArgs)
    { organizationId, applicationId, name, expiresAt }: CreateDashboardLinkArgs,
    @Ctx() ctx: Context,
  ): Promise<DashboardLinkSecret> {
    const application = await loadApplication(ctx, { organizationId, applicationId }, policies.dashboardLink.change);
    return makeLink(ctx, application, { name, expiresAt, now: this.clock() });
  }

  @Mutation(() => DashboardLink, {
    description: 'Ends a link permanently. Screens that show it receive nothing more after about a second.',
  })
  async deleteDashboardLink(
    @Args(() => DashboardLinkArgs) { organizationId, applicationId, linkId }: DashboardLinkArgs,
    @Ctx() ctx: Context,
  ): Promise<DashboardLink> {
    const application = await loadApplication(ctx, { organizationId, applicationId }, policies.dashboardLink.change);
    return endLink(ctx, application, linkId);
  }
}

/** Resolves the field `dashboardLinks` of applications. */
@Resolver(() => Application)
export class ApplicationDashboardLinksResolver {
  @FieldResolver(() => [DashboardLink], {
    nullable: true,
    description: 'Links to the dashboard, the oldest first, at most 100; only for owners.',
  })
  @GraphOnly()
  dashboardLinks(@Root() application: Application, @Ctx() ctx: Context): Promise<DashboardLink[]> {
    authorize(ctx, application.organizationId, policies.dashboardLink.read);
    return linksOf(ctx, application);
  }
}
