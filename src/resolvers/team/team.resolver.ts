import sql from 'sql-template-tag';
import { Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { targetOf } from '#audit/fields.js';
import { authorize, loadApplication, loadTeam } from '#auth/access.js';
import { change, execute } from '#auth/execute.js';
import { loadMember } from '#auth/membership.js';
import { policies } from '#auth/policies.js';
import type { Permission } from '#entities/enums.js';
import { newId } from '#entities/id.js';
import { Team } from '#entities/team.js';
import { teamApplicationListing } from '#listing/applications.js';
import { list } from '#listing/list.js';
import { teamListing } from '#listing/teams.js';
import { teamMemberListing } from '#listing/users.js';
import type { Context } from '#schema/context.js';
import { OrganizationListArgs } from '#schema/organization.args.js';
import { ApplicationPage, TeamMemberPage, TeamPage } from '#schema/pages.js';
import {
  CreateTeamArgs,
  SetTeamApplicationArgs,
  TeamApplicationArgs,
  TeamArgs,
  TeamListArgs,
  TeamMemberArgs,
  UpdateTeamArgs,
} from './team.args.js';

/** Resolves teams, their members, and the applications that they give access to. */
@Resolver(() => Team)
export class TeamResolver {
  @Query(() => TeamPage, { description: 'The teams of the organization.' })
  teams(@Args(() => OrganizationListArgs) args: OrganizationListArgs, @Ctx() ctx: Context): Promise<TeamPage> {
    authorize(ctx, args.organizationId, policies.team.read);
    const where = [sql`t.organization_id = ${args.organizationId}`];
    return list<Team>(ctx, teamListing({ where, order: sql`t.id` }), args);
  }

  @Query(() => Team, { description: 'A team.' })
  team(@Args(() => TeamArgs) args: TeamArgs, @Ctx() ctx: Context): Promise<Team> {
    return loadTeam(ctx, args, policies.team.read);
  }

  @Mutation(() => Team, { description: 'Creates a team.' })
  async createTeam(@Args(() => CreateTeamArgs) args: CreateTeamArgs, @Ctx() ctx: Context): Promise<Team> {
    authorize(ctx, args.organizationId, policies.team.change);
    const team = Object.assign(new Team(), { id: newId(), organizationId: args.organizationId }).change(args);
    await ctx.insert(team);
    return team;
  }

  @Mutation(() => Team, { description: 'Changes a team.' })
  async updateTeam(@Args(() => UpdateTeamArgs) args: UpdateTeamArgs, @Ctx() ctx: Context): Promise<Team> {
    const team = await loadTeam(ctx, args, policies.team.change);
    team.change(args);
    await ctx.update(team);
    return team;
  }

  @Mutation(() => Team, { description: 'Deletes a team and its grants.' })
  async deleteTeam(@Args(() => TeamArgs) args: TeamArgs, @Ctx() ctx: Context): Promise<Team> {
    const team = await loadTeam(ctx, args, policies.team.change);
    await ctx.em.remove(team).flush();
    return team;
  }

  @Query(() => TeamMemberPage, { description: 'The members of a team.' })
  async teamMembers(@Args(() => TeamListArgs) args: TeamListArgs, @Ctx() ctx: Context): Promise<TeamMemberPage> {
    const team = await loadTeam(ctx, args, policies.team.read);
    return list(ctx, teamMemberListing(sql`${team.id}`), args);
  }

  @Mutation(() => Team, {
    description: 'Adds a member of the organization to a team. Repeating the call changes nothing.',
  })
  async addTeamMember(@Args(() => TeamMemberArgs) args: TeamMemberArgs, @Ctx() ctx: Context): Promise<Team> {
    const { team, member } = await loadTeamAndMember(ctx, args);
    await change(
      ctx,
      sql`insert into team_member (organization_id, team_id, user_id)
          values (${team.organizationId}, ${team.id}, ${member.id}) on conflict do nothing`,
      targetOf('Team', team),
      { member: [null, idAndName(member)] },
    );
    return team;
  }

  @Mutation(() => Team, { description: 'Removes a member from a team. The user stays in the organization.' })
  async removeTeamMember(@Args(() => TeamMemberArgs) args: TeamMemberArgs, @Ctx() ctx: Context): Promise<Team> {
    const { team, member } = await loadTeamAndMember(ctx, args);
    await change(
      ctx,
      sql`delete from team_member where team_id = ${team.id} and user_id = ${member.id}`,
      targetOf('Team', team),
      { member: [idAndName(member), null] },
    );
    return team;
  }

  @Query(() => ApplicationPage, { description: 'The applications that a team gives access to.' })
  async teamApplications(@Args(() => TeamListArgs) args: TeamListArgs, @Ctx() ctx: Context): Promise<ApplicationPage> {
    const team = await loadTeam(ctx, args, policies.team.read);
    return list(ctx, teamApplicationListing(ctx.caller, team.id), args);
  }

  @Mutation(() => Team, { description: "Gives a team access to an application, or changes the team's permission." })
  async setTeamApplication(
    @Args(() => SetTeamApplicationArgs) args: SetTeamApplicationArgs,
    @Ctx() ctx: Context,
  ): Promise<Team> {
    const { team, application } = await loadTeamAndApplication(ctx, args);
    return ctx.em.transactional(async (em) => {
      // Of several calls that add the grant at once, one inserts. The others wait for it and lock its row.
      const [stored] = await execute<{ permission: Permission; isNew: boolean }>(
        em,
        sql`insert into team_application (organization_id, team_id, application_id, permission)
            values (${team.organizationId}, ${team.id}, ${application.id}, ${args.permission})
            on conflict (team_id, application_id) do update set permission = team_application.permission
            returning permission, xmax = 0 as "isNew"`,
      );
      const before = stored!.isNew ? undefined : stored!;
      if (before !== undefined && before.permission !== args.permission)
        await execute(
          em,
          sql`update team_application set permission = ${args.permission}
               where team_id = ${team.id} and application_id = ${application.id}`,
        );
      const granted = (permission: string) => ({ ...idAndName(application), permission });
      const changes = { application: [before ? granted(before.permission) : null, granted(args.permission)] } as const;
      ctx.audit.about(targetOf('Team', team), before?.permission === args.permission ? {} : changes);
      return team;
    });
  }

  @Mutation(() => Team, { description: "Removes a team's access to an application." })
  async removeTeamApplication(
    @Args(() => TeamApplicationArgs) args: TeamApplicationArgs,
    @Ctx() ctx: Context,
  ): Promise<Team> {
    const { team, application } = await loadTeamAndApplication(ctx, args);
    await change(
      ctx,
      sql`delete from team_application where team_id = ${team.id} and application_id = ${application.id}`,
      targetOf('Team', team),
      { application: [idAndName(application), null] },
    );
    return team;
  }
}

/** Names a member or an application in events of teams. */
const idAndName = ({ id, name, username }: { id: string; name?: string | null; username?: string }) => ({
  id,
  name: name ?? username ?? null,
});

/** Loads both ends of a membership that the caller may change. */
async function loadTeamAndMember(ctx: Context, { organizationId, teamId, memberId }: TeamMemberArgs) {
  const team = await loadTeam(ctx, { organizationId, teamId }, policies.team.change);
  return { team, member: await loadMember(ctx, organizationId, memberId) };
}

/** Loads both ends of a grant that the caller may change. */
async function loadTeamAndApplication(ctx: Context, { organizationId, teamId, applicationId }: TeamApplicationArgs) {
  const team = await loadTeam(ctx, { organizationId, teamId }, policies.team.change);
  return {
    team,
    application: await loadApplication(ctx, { organizationId, applicationId }, policies.application.grant),
  };
}
