import { randomBytes } from 'node:crypto';
import sql from 'sql-template-tag';
import { Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { loadAccount, requireOrganization } from '#auth/access.js';
import { execute } from '#auth/execute.js';
import { hashToken } from '#auth/token.js';
import { conflict, notFound } from '#common/errors.js';
import { isId, newId } from '#entities/id.js';
import { Invitation, InvitationMail, NewInvitation } from '#entities/invitation.js';
import type { Context } from '#schema/context.js';
import { InvitationPage } from '#schema/pages.js';
import { CreateInvitationArgs, InvitationArgs, OrganizationPageArgs } from '#schema/sign-in.args.js';
import { invitationListing, invitationRows } from './invitations.js';
import { list } from './list.js';
import { requireFree } from './unique.js';

/** Validity of a link, in milliseconds. */
const lifetime = 7 * 86_400_000;
/** Maximum number of open invitations of one organization. */
const mostOpen = 100;

/** Sends the link of an invitation by e-mail. */
export type SendInvitation = (
  organization: { id: string; username: string },
  to: string,
  url: string,
) => Promise<InvitationMail>;

/** Resolves the invitations of an organization. Everyone who opens the link may accept: see the pages below `/auth`. */
@Resolver(() => Invitation)
export class InvitationResolver {
  /**
   * @param clock returns milliseconds since the epoch.
   * @param send undefined when the service sends no e-mail.
   */
  constructor(
    private readonly clock: () => number,
    private readonly send: SendInvitation | undefined,
  ) {}

  @Query(() => InvitationPage, { description: 'The open invitations of the organization.' })
  invitations(
    @Args(() => OrganizationPageArgs) args: OrganizationPageArgs,
    @Ctx() ctx: Context,
  ): Promise<InvitationPage> {
    requireOrganization(ctx, args.organizationId, 'own');
    return list<Invitation>(ctx, invitationListing(args.organizationId), args);
  }

  @Mutation(() => NewInvitation, {
    description: 'Invites a person to become a member. The link is in this answer and never shown again.',
  })
  async createInvitation(
    @Args(() => CreateInvitationArgs) { organizationId, email, role, teamIds }: CreateInvitationArgs,
    @Ctx() ctx: Context,
  ): Promise<NewInvitation> {
    requireOrganization(ctx, organizationId, 'own');
    const teams = [...new Set(teamIds ?? [])];
    await requireTeams(ctx, organizationId, teams);
    const of = sql`from invitation i where i.organization_id = ${organizationId} and lower(i.email) = lower(${email})`;
    await requireFree(ctx, 'invitation_address', sql`select 1 as one ${of} and i.expires_at > now()`);
    const { token, ...link } = this.newLink();
    const invitation = Object.assign(new Invitation(), {
      id: newId(),
      organizationId,
      email,
      role,
      teamIds: teams,
      ...link,
    });
    await ctx.em.transactional(async (em) => {
      // Two owners who invite at once run one after the other, so that the count is right.
      await execute(em, sql`select from account where id = ${organizationId} for no key update`);
      await execute(em, sql`delete ${of} and i.expires_at <= now()`);
      const [open] = await execute<{ count: number }>(
        em,
        sql`select count(*)::int as count from invitation where organization_id = ${organizationId} and expires_at > now()`,
      );
      if (open!.count >= mostOpen)
        throw conflict(`The organization has ${mostOpen} open invitations: revoke one, or wait until one expires.`);
      em.persist(invitation);
    });
    return this.handOut(ctx, invitation, token);
  }

  @Mutation(() => NewInvitation, {
    description: 'Gives an invitation a new link and seven more days. The earlier link stops working.',
  })
  async resendInvitation(
    @Args(() => InvitationArgs) args: InvitationArgs,
    @Ctx() ctx: Context,
  ): Promise<NewInvitation> {
    const invitation = await load(ctx, args);
    const { token, ...link } = this.newLink();
    Object.assign(invitation, link);
    await ctx.em.flush();
    return this.handOut(ctx, invitation, token);
  }

  @Mutation(() => Invitation, { description: 'Revokes an invitation: its link no longer counts.' })
  async revokeInvitation(@Args(() => InvitationArgs) args: InvitationArgs, @Ctx() ctx: Context): Promise<Invitation> {
    const invitation = await load(ctx, args);
    await ctx.em.remove(invitation).flush();
    return invitation;
  }

  private newLink() {
    const token = randomBytes(32).toString('base64url');
    return { token, hash: hashToken(token), expiresAt: new Date(this.clock() + lifetime).toISOString() };
  }

  private async handOut(ctx: Context, invitation: Invitation, token: string): Promise<NewInvitation> {
    const url = `${ctx.origin}/auth/invitation?token=${token}`;
    const mail = this.send ? await this.send(await loadAccount(ctx), invitation.email, url) : InvitationMail.off;
    return { url, mail, invitation };
  }
}

/** Loads an open invitation of the caller's organization. */
async function load(ctx: Context, { organizationId, invitationId }: InvitationArgs): Promise<Invitation> {
  requireOrganization(ctx, organizationId, 'own');
  if (!isId(invitationId)) throw notFound('invitation');
  const [row] = await ctx.read<Invitation>(sql`
    ${invitationRows(sql`, i.hash`)} where i.organization_id = ${organizationId} and i.id = ${invitationId} and i.expires_at > now()`);
  if (row === undefined) throw notFound('invitation');
  return ctx.em.merge(Invitation, row);
}

async function requireTeams(ctx: Context, organizationId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const found = await ctx.read(
    sql`select 1 as one from team where organization_id = ${organizationId} and id = any(${ids.filter(isId)}::uuid[])`,
  );
  if (found.length < ids.length) throw notFound('team');
}
