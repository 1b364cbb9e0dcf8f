import { GraphQLJSON } from 'graphql-scalars';
import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { loadApplication } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { requireDocument } from '#dashboard/document.js';
import { User } from '#entities/account.js';
import { Application } from '#entities/application.js';
import { GraphOnly } from '#entities/columns.js';
import { Dashboard } from '#entities/dashboard.js';
import { ApplicationArgs } from '#listing/identifier.args.js';
import { loadById } from '#listing/loader.js';
import { userColumns } from '#listing/users.js';
import type { Context } from '#schema/context.js';
import { UpdateDashboardArgs } from './dashboard.args.js';
import { dashboardOf, saveDashboard, suggestionFor } from './dashboards.js';

/** Resolves the dashboards of applications. */
@Resolver(() => Dashboard)
export class DashboardResolver {
  /** @param clock returns milliseconds since the epoch. */
  constructor(private readonly clock: () => number) {}

  @Mutation(() => Dashboard, {
    description:
      'Saves the dashboard of an application. A conflict if another save came after the version that is given; for callers who may change the application.',
  })
  async updateDashboard(
    @Args(() => UpdateDashboardArgs) { organizationId, applicationId, version, document }: UpdateDashboardArgs,
    @Ctx() ctx: Context,
  ): Promise<Dashboard> {
    const json = requireDocument(document);
    const application = await loadApplication(ctx, { organizationId, applicationId }, policies.dashboard.change);
    return saveDashboard(ctx, application, { version, json, now: this.clock() });
  }

  @Query(() => GraphQLJSON, {
    description: "A first document for an application, made from the variables of its devices' products.",
  })
  async suggestDashboard(@Args(() => ApplicationArgs) args: ApplicationArgs, @Ctx() ctx: Context): Promise<object> {
    const { id } = await loadApplication(ctx, args, policies.dashboard.read);
    return suggestionFor(ctx, id);
  }

  @FieldResolver(() => User, {
    nullable: true,
    description: "Member who saved it last; null if it was the organization's own token, or the person is gone.",
  })
  @GraphOnly()
  updatedBy(@Root() { updatedById }: Dashboard, @Ctx() ctx: Context): Promise<User | null> | null {
    if (updatedById == null) return null;
    const rowsOf = (ids: readonly string[]) =>
      sql`select ${userColumns} from account u where u.id = any(${ids}::uuid[])`;
    return loadById<User>(ctx, 'user', updatedById, rowsOf);
  }
}

/** Resolves the field `dashboard` of applications. */
@Resolver(() => Application)
export class ApplicationDashboardResolver {
  @FieldResolver(() => Dashboard, {
    nullable: true,
    description:
      'Dashboard of the application; null while `hasDashboard` is false, which keeps the saved document for later.',
  })
  @GraphOnly()
  dashboard(@Root() { id }: Application, @Ctx() ctx: Context): Promise<Dashboard | null> {
    return dashboardOf(ctx, id);
  }
}
