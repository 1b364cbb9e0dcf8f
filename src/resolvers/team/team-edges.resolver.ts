import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { can, policies } from '#auth/policies.js';
import { GraphOnly } from '#entities/columns.js';
import { Team } from '#entities/team.js';
import { teamApplicationListing } from '#listing/applications.js';
import { grantsOfTeam } from '#listing/grants.js';
import { listBelow } from '#listing/list.js';
import { teamMemberListing } from '#listing/users.js';
import type { Context } from '#schema/context.js';
import { SearchablePageArgs } from '#schema/list.args.js';
import { ApplicationPage, TeamGrantPage, TeamMemberPage } from '#schema/pages.js';

/** Resolves the members and the permissions of teams. */
@Resolver(() => Team)
export class TeamEdgesResolver {
  @FieldResolver(() => TeamMemberPage, { description: 'Members of the team.' })
  @GraphOnly()
  members(
    @Root() { id }: Team,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<TeamMemberPage> {
    return listBelow(ctx, 'team.members', id, () => teamMemberListing(sql`parent.id`), args);
  }

  @FieldResolver(() => ApplicationPage, {
    description: 'Applications that the team gives access to and that the caller can read.',
  })
  @GraphOnly()
  applications(
    @Root() { id }: Team,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<ApplicationPage> {
    return listBelow(ctx, 'team.applications', id, () => teamApplicationListing(ctx.caller), args);
  }

  @FieldResolver(() => TeamGrantPage, {
    description: "Applications that the team gives access to, with the team's permission on each.",
  })
  @GraphOnly()
  grants(
    @Root() { id }: Team,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<TeamGrantPage> {
    return listBelow(ctx, 'team.grants', id, () => grantsOfTeam(can(ctx.caller, policies.application.read)), args);
  }
}
