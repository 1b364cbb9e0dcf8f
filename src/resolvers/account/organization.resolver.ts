import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { authorize, loadAccount } from '#auth/access.js';
import { execute } from '#auth/execute.js';
import { keepAnOwner, loadUser } from '#auth/membership.js';
import { policies } from '#auth/policies.js';
import { Account, Organization, User } from '#entities/account.js';
import { now } from '#entities/columns.js';
import { Role } from '#entities/enums.js';
import { list } from '#listing/list.js';
import { loadById } from '#listing/loader.js';
import { memberListing } from '#listing/users.js';
import type { Context } from '#schema/context.js';
import { OrganizationArgs } from '#schema/organization.args.js';
import { OrganizationMemberPage } from '#schema/pages.js';
import { requireZone } from '#search/date/zone.js';
import {
  OrganizationMemberArgs,
  OrganizationMembersArgs,
  SetOrganizationMemberArgs,
  SetOrganizationTimeZoneArgs,
  UpdateOrganizationArgs,
} from './account.args.js';

/** Resolves the organization and its members. */
@Resolver(() => Organization)
export class OrganizationResolver {
  @Query(() => Organization, { description: 'The organization of the caller.' })
  organization(
    @Args(() => OrganizationArgs) { organizationId }: OrganizationArgs,
    @Ctx() ctx: Context,
  ): Promise<Account> {
    authorize(ctx, organizationId, policies.organization.read);
    return loadAccount(ctx);
  }

  @Mutation(() => Organization, { description: 'Changes the organization.' })
  async updateOrganization(
    @Args(() => UpdateOrganizationArgs) args: UpdateOrganizationArgs,
    @Ctx() ctx: Context,
  ): Promise<Account> {
    authorize(ctx, args.organizationId, policies.organization.change);
    const account = ctx.em.merge(Account, await loadAccount(ctx)).change(args);
    await ctx.update(account);
    return account;
  }

  @Mutation(() => Organization, {
    description:
      'Sets the time zone in which the days of the organization begin. Sums of earlier days follow in the background.',
  })
  async setOrganizationTimeZone(
    @Args(() => SetOrganizationTimeZoneArgs) { organizationId, timeZone }: SetOrganizationTimeZoneArgs,
    @Ctx() ctx: Context,
  ): Promise<Account> {
    authorize(ctx, organizationId, policies.organization.change);
    requireZone(timeZone);
    const account = Object.assign(ctx.em.merge(Account, await loadAccount(ctx)), { timeZone });
    await ctx.update(account);
    return account;
  }

  @FieldResolver(() => Int, { description: 'Number of members.' })
  async memberCount(@Root() { id }: Account, @Ctx() ctx: Context): Promise<number> {
    const counted = await loadById<{ id: string; total: number }>(
      ctx,
      'organization.memberCount',
      id,
      (ids) => sql`
        select m.organization_id as id, count(*)::int as total from membership m
         where m.organization_id = any(${ids}::uuid[]) group by m.organization_id`,
    );
    return counted?.total ?? 0;
  }

  @FieldResolver(() => Role, { description: 'Role of the caller.' })
  role(@Ctx() { caller }: Context): Role {
    return caller.role;
  }

  @Query(() => OrganizationMemberPage, { description: 'The members of the organization.' })
  organizationMembers(
    @Args(() => OrganizationMembersArgs) args: OrganizationMembersArgs,
    @Ctx() ctx: Context,
  ): Promise<OrganizationMemberPage> {
    authorize(ctx, args.organizationId, policies.member.read);
    const ofOrganization = sql`m.organization_id = ${args.organizationId}`;
    const where = args.role ? [ofOrganization, sql`m.role = ${args.role}`] : [ofOrganization];
    return list<User>(ctx, memberListing(where), args);
  }

  @Mutation(() => User, {
    description: 'Adds a user to the organization, or changes the role of a member.',
  })
  async setOrganizationMember(
    @Args(() => SetOrganizationMemberArgs) { organizationId, memberId, role }: SetOrganizationMemberArgs,
    @Ctx() ctx: Context,
  ): Promise<User> {
    authorize(ctx, organizationId, policies.member.change);
    const user = await loadUser(ctx, organizationId, memberId);
    return ctx.em.transactional(async (em) => {
      const demotes = role !== undefined && role !== Role.owner;
      if (demotes) await keepAnOwner(em, organizationId, user.id);
      // Of several calls that add the member at once, one inserts. The others wait for it and lock its row.
      const [stored] = await execute<{ role: Role; isNew: boolean }>(
        em,
        sql`insert into membership (organization_id, user_id, role, created_at)
            values (${organizationId}, ${memberId}, ${role ?? Role.member}, ${now()})
            on conflict (organization_id, user_id) do update set role = membership.role
            returning role, xmax = 0 as "isNew"`,
      );
      const before = stored!.isNew ? null : stored!.role;
      // `null` restores the default, and an absent role leaves the member's.
      const after = role === undefined ? stored!.role : (role ?? Role.member);
      if (before !== null && before !== after)
        await execute(
          em,
          sql`update membership set role = ${after} where organization_id = ${organizationId} and user_id = ${memberId}`,
        );
      ctx.audit.about(memberOf(user), before === after ? {} : { role: [before, after] });
      return Object.assign(new User(), user, { role: after });
    });
  }

  @Mutation(() => User, { description: 'Removes a member from the organization and from all its teams.' })
  async removeOrganizationMember(
    @Args(() => OrganizationMemberArgs) { organizationId, memberId }: OrganizationMemberArgs,
    @Ctx() ctx: Context,
  ): Promise<User> {
    authorize(ctx, organizationId, policies.member.change);
    const user = await loadUser(ctx, organizationId, memberId);
    return ctx.em.transactional(async (em) => {
      await keepAnOwner(em, organizationId, user.id);
      const [removed] = await execute<{ role: Role }>(
        em,
        sql`delete from membership where organization_id = ${organizationId} and user_id = ${memberId} returning role`,
      );
      ctx.audit.about(memberOf(user), removed === undefined ? {} : { role: [removed.role, null] });
      return user;
    });
  }
}

/** Returns a member in the form in which events name it. */
const memberOf = ({ id, name, username }: User) => ({ kind: 'member', id, name: name ?? username });
