import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { can, policies } from '#auth/policies.js';
import { User } from '#entities/account.js';
import { ApiToken } from '#entities/api-token.js';
import { GraphOnly } from '#entities/columns.js';
import { Role } from '#entities/enums.js';
import { tokenListing } from '#listing/api-tokens.js';
import { applicationListing } from '#listing/applications.js';
import { listBelow } from '#listing/list.js';
import { loadById } from '#listing/loader.js';
import { teamListing } from '#listing/teams.js';
import type { Context } from '#schema/context.js';
import { PageArgs, SearchablePageArgs } from '#schema/list.args.js';
import { ApiTokenPage, ApplicationPage, TeamPage } from '#schema/pages.js';

/** Resolves a user's position in the caller's organization: role, teams, readable applications and tokens. */
@Resolver(() => User)
export class UserEdgesResolver {
  @FieldResolver(() => Role, { nullable: true })
  @GraphOnly()
  async role(@Root() { id, role }: User, @Ctx() ctx: Context): Promise<Role | null> {
    if (role !== undefined) return role;
    const { organizationId } = ctx.caller;
    const rowsOf = (ids: readonly string[]) => sql`
      select m.user_id as id, m.role from membership m
       where m.organization_id = ${organizationId} and m.user_id = any(${ids}::uuid[])`;
    const membership = await loadById<{ id: string; role: Role }>(ctx, 'user.role', id, rowsOf);
    return membership?.role ?? null;
  }

  @FieldResolver(() => TeamPage, { description: "Teams of the caller's organization that the user belongs to." })
  @GraphOnly()
  teams(
    @Root() { id }: User,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<TeamPage> {
    const listing = () =>
      teamListing({
        joined: sql`join team_member l on l.team_id = t.id`,
        parent: sql`l.user_id`,
        where: [sql`t.organization_id = ${ctx.caller.organizationId}`],
        order: sql`l.created_at`,
      });
    return listBelow(ctx, 'user.teams', id, listing, args);
  }

  @FieldResolver(() => ApplicationPage, {
    description:
      "Applications of the caller's organization that both the user and the caller can read; `permission` is the caller's.",
  })
  @GraphOnly()
  applications(
    @Root() { id }: User,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<ApplicationPage> {
    const { organizationId } = ctx.caller;
    const owns = sql`exists (select from membership m
      where m.organization_id = ${organizationId} and m.user_id = parent.id and m.role = 'owner')`;
    const granted = sql`exists (select from team_application g join team_member mine using (team_id)
      where g.application_id = a.id and mine.user_id = parent.id)`;
    const where = [
      sql`a.organization_id = ${organizationId}`,
      sql`(${owns} or ${granted})`,
      can(ctx.caller, policies.application.read),
    ];
    const listing = () => applicationListing(ctx.caller, { where, order: sql`a.id` });
    return listBelow(ctx, 'user.applications', id, listing, args);
  }

  @FieldResolver(() => ApiTokenPage, {
    nullable: true,
    description: "Tokens of the caller's organization that act as the user; only for owners.",
  })
  @GraphOnly()
  tokens(@Root() { id }: User, @Args(() => PageArgs) args: PageArgs, @Ctx() ctx: Context): Promise<ApiTokenPage> {
    const { organizationId } = ctx.caller;
    authorize(ctx, organizationId, policies.apiToken.read);
    const where = [sql`k.user_id = parent.id`, sql`k.organization_id = ${organizationId}`];
    return listBelow(ctx, 'user.tokens', id, () => tokenListing(where), args);
  }
}

/** Resolves the user that a token acts as. */
@Resolver(() => ApiToken)
export class ApiTokenEdgesResolver {
  @FieldResolver(() => User, { nullable: true, description: 'Member that the token acts as.' })
  @GraphOnly()
  user(@Root() { userId }: ApiToken, @Ctx() ctx: Context): Promise<User | null> | null {
    if (userId == null) return null;
    const rowsOf = (ids: readonly string[]) =>
      sql`select u.id, u.username, u.name, u.type from account u where u.id = any(${ids}::uuid[])`;
    return loadById(ctx, 'user', userId, rowsOf);
  }
}
