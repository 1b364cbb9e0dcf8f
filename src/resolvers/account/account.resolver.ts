import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { authorize, loadAccount } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { Account, Organization, TeamMemberListItem } from '#entities/account.js';
import { RestShape } from '#entities/columns.js';
import { isId } from '#entities/id.js';
import { WebAddress } from '#entities/scalars.js';
import { list } from '#listing/list.js';
import { userListing } from '#listing/users.js';
import type { Context } from '#schema/context.js';
import { UserPage } from '#schema/pages.js';
import { AccountsArgs, UpdateAccountArgs } from './account.args.js';
import { requireFree } from './unique.js';

/** Resolves the caller's own account and the users of the platform. */
@Resolver(() => TeamMemberListItem)
export class AccountResolver {
  @Query(() => Organization, { description: "The account of the caller's organization." })
  @RestShape(Account)
  account(@Ctx() ctx: Context): Promise<Account> {
    return loadAccount(ctx);
  }

  @Mutation(() => Organization, { description: "Changes the account of the caller's organization." })
  @RestShape(Account)
  async updateAccount(@Args(() => UpdateAccountArgs) args: UpdateAccountArgs, @Ctx() ctx: Context): Promise<Account> {
    authorize(ctx, ctx.caller.organizationId, policies.organization.change);
    const account = ctx.em.merge(Account, await loadAccount(ctx)).change(args);
    const other = sql`select 1 as one from account where id <> ${account.id}`;
    await requireFree(ctx, 'account_username_key', sql`${other} and username = ${account.username}`);
    await requireFree(ctx, 'account_email_key', sql`${other} and lower(email) = lower(${account.email})`);
    await ctx.update(account);
    return account;
  }

  @Query(() => UserPage, { description: 'All active users of the platform.' })
  accounts(@Args(() => AccountsArgs) args: AccountsArgs, @Ctx() ctx: Context): Promise<UserPage> {
    const active = sql`u.type = 'user' and not u.disabled`;
    const where = args.ids ? [active, sql`u.id = any(${args.ids.filter(isId)}::uuid[])`] : [active];
    return list(ctx, userListing({ from: sql`from account u`, where, order: sql`u.id` }), args);
  }

  @FieldResolver(() => WebAddress, {
    description: 'Address of an image that this service generates from the identifier.',
  })
  avatarURL(@Root() { id }: TeamMemberListItem, @Ctx() { origin }: Context): string {
    return `${origin}/avatars/${id}.svg`;
  }
}
