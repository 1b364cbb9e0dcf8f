import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { readableApplication } from '#auth/access.js';
import { GraphOnly } from '#entities/columns.js';
import { Team } from '#entities/team.js';
import { applicationListing } from '#listing/applications.js';
import { grantsOfTeam } from '#listing/grants.js';
import { listBelow } from '#listing/list.js';
import { userListing } from '#listing/users.js';
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
    const listing = () =>
      userListing({
        from: sql`from team_member l join account u on u.id = l.user_id`,
        where: [sql`l.team_id = parent.id`],
        order: sql`l.created_at`,
      });
    return listBelow(ctx, 'team.members', id, listing, args);
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
    const listing = () =>
      applicationListing(ctx.caller, {
        joined: sql`join team_application l on l.application_id = a.id`,
        parent: sql`l.team_id`,
        where: [readableApplication(ctx.caller)],
        order: sql`l.created_at`,
      });
    return listBelow(ctx, 'team.applications', id, listing, args);
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
    return listBelow(ctx, 'team.grants', id, () => grantsOfTeam(readableApplication(ctx.caller)), args);
  }
}
