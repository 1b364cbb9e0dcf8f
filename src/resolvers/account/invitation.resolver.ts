import { randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import sql, { type Sql } from 'sql-template-tag';
import { Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { authorize, loadAccount } from '#auth/access.js';
import { execute } from '#auth/execute.js';
import { isOpenInvitation } from '#auth/invitation-validity.js';
import { policies } from '#auth/policies.js';
import { hashToken } from '#auth/token.js';
import { conflict, notFound, rateLimited } from '#common/errors.js';
import { weekMs } from '#common/time.js';
import { isId, newId } from '#entities/id.js';
import { Invitation, InvitationMail, NewInvitation } from '#entities/invitation.js';
import { invitationListing, invitationRows } from '#listing/invitations.js';
import { list } from '#listing/list.js';
import type { Context } from '#schema/context.js';
import { OrganizationPageArgs } from '#schema/organization.args.js';
import { InvitationPage } from '#schema/pages.js';
import { CreateInvitationArgs, InvitationArgs } from './sign-in.args.js';
import { requireFree } from './unique.js';

/** Validity of a link, in milliseconds. */
const lifetime = weekMs;
/** Maximum number of open invitations of one organization. */
const mostOpen = 100;

/** E-mail of invitations. */
export interface InvitationMailer {
  /** Counts a mail to an address. Returns false when the organization or the address has used up its limit. */
  takeTurn(organizationId: string, to: string): Promise<boolean>;
  /** Sends the link of an invitation, once its turn is counted. */
  send(organization: { id: string; username: string }, to: string, url: string): Promise<InvitationMail>;
}

/** Resolves the invitations of an organization. Everyone who opens the link may accept: see the pages below `/auth`. */
@Resolver(() => Invitation)
export class InvitationResolver {
  /**
   * @param clock returns milliseconds since the epoch.
   * @param mail undefined when the service sends no e-mail.
   */
  constructor(
    private readonly clock: () => number,
    private readonly mail: InvitationMailer | undefined,
  ) {}

  @Query(() => InvitationPage, { description: 'The open invitations of the organization.' })
  invitations(
    @Args(() => OrganizationPageArgs) args: OrganizationPageArgs,
    @Ctx() ctx: Context,
  ): Promise<InvitationPage> {
    authorize(ctx, args.organizationId, policies.invitation.read);
    return list<Invitation>(ctx, invitationListing(args.organizationId), args);
  }

  @Mutation(() => NewInvitation, {
    description: 'Invites a person to become a member. The link is in this answer and never shown again.',
  })
  async createInvitation(
    @Args(() => CreateInvitationArgs) { organizationId, email, role, teamIds }: CreateInvitationArgs,
    @Ctx() ctx: Context,
  ): Promise<NewInvitation> {
    authorize(ctx, organizationId, policies.invitation.change);
    const teams = [...new Set(teamIds ?? [])];
    await requireTeams(ctx, organizationId, teams);
    const of = sql`from invitation i where i.organization_id = ${organizationId} and lower(i.email) = lower(${email})`;
    await requireFree(ctx, 'invitation_address', sql`select 1 as one ${of} and ${isOpenInvitation}`);
    const { token, ...link } = this.newLink();
    const invitation = Object.assign(new Invitation(), {
      id: newId(),
      organizationId,
      email,
      role,
      teamIds: teams,
      createdBy: ctx.caller.userId,
      ...link,
    });
    await ctx.em.transactional(async (em) => {
      // Two owners who invite at once run one after the other, so that the count is right.
      await execute(em, sql`select from account where id = ${organizationId} for no key update`);
      await execute(em, sql`delete ${of} and not (${isOpenInvitation})`);
      const [open] = await execute<{ count: number }>(
        em,
        sql`select count(*)::int as count from invitation i where i.organization_id = ${organizationId} and ${isOpenInvitation}`,
      );
      if (open!.count >= mostOpen)
        throw conflict(`The organization has ${mostOpen} open invitations: revoke one, or wait until one expires.`);
      em.persist(invitation);
    });
    const url = urlOf(ctx, token);
    const isMailed = this.mail !== undefined && (await this.mail.takeTurn(organizationId, email));
    const mail = this.mail && !isMailed ? InvitationMail.limited : await this.send(ctx, invitation, url);
    return { url, mail, invitation };
  }

  @Mutation(() => NewInvitation, {
    description: 'Gives an invitation a new link and seven more days. The earlier link stops working.',
  })
  async resendInvitation(
    @Args(() => InvitationArgs) args: InvitationArgs,
    @Ctx() ctx: Context,
  ): Promise<NewInvitation> {
    const { organizationId, email } = await load(ctx, args);
    // Checked first: where no mail may be sent, the link that was mailed before keeps working.
    if (this.mail && !(await this.mail.takeTurn(organizationId, email))) throw rateLimited(limited);
    const { token, ...link } = this.newLink();
    const invitation = await ctx.em.transactional(async (em) =>
      Object.assign(em.merge(Invitation, await lock(em, args)), link, { createdBy: ctx.caller.userId }),
    );
    const url = urlOf(ctx, token);
    return { url, mail: await this.send(ctx, invitation, url), invitation };
  }

  @Mutation(() => Invitation, { description: 'Revokes an invitation: its link stops working.' })
  async revokeInvitation(@Args(() => InvitationArgs) args: InvitationArgs, @Ctx() ctx: Context): Promise<Invitation> {
    await load(ctx, args);
    return ctx.em.transactional(async (em) => {
      const invitation = em.merge(Invitation, await lock(em, args));
      em.remove(invitation);
      return invitation;
    });
  }

  private newLink() {
    const token = randomBytes(32).toString('base64url');
    return { token, hash: hashToken(token), expiresAt: new Date(this.clock() + lifetime).toISOString() };
  }

  private async send(ctx: Context, { email }: Invitation, url: string): Promise<InvitationMail> {
    return this.mail ? this.mail.send(await loadAccount(ctx), email, url) : InvitationMail.off;
  }
}

const urlOf = ({ origin }: Context, token: string): string => `${origin}/auth/invitation?token=${token}`;

const limited =
  'The organization has sent its mails of the day, or the address got one within the hour. The link that was mailed still works.';

const selectOpen = ({ organizationId, invitationId }: InvitationArgs): Sql => sql`
  ${invitationRows(sql`, i.hash, i.created_by as "createdBy"`)}
   where i.organization_id = ${organizationId} and i.id = ${invitationId} and ${isOpenInvitation}`;

/** Loads an open invitation of the caller's organization. */
async function load(ctx: Context, args: InvitationArgs): Promise<Invitation> {
  authorize(ctx, args.organizationId, policies.invitation.change);
  const [row] = isId(args.invitationId) ? await ctx.read<Invitation>(selectOpen(args)) : [];
  if (row === undefined) throw notFound('invitation');
  return row;
}

/** Locks an invitation, unless it was accepted or revoked since it was loaded. */
async function lock(em: EntityManager, args: InvitationArgs): Promise<Invitation> {
  const [row] = await execute<Invitation>(em, sql`${selectOpen(args)} for update of i`);
  if (row === undefined) throw notFound('invitation');
  return row;
}

async function requireTeams(ctx: Context, organizationId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const found = await ctx.read(
    sql`select 1 as one from team where organization_id = ${organizationId} and id = any(${ids.filter(isId)}::uuid[])`,
  );
  if (found.length < ids.length) throw notFound('team');
}
