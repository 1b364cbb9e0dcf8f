import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { change, execute } from '#auth/execute.js';
import { can, policies } from '#auth/policies.js';
import { notFound } from '#common/errors.js';
import { User } from '#entities/account.js';
import { isId } from '#entities/id.js';
import { RevokedSessions, Session } from '#entities/session.js';
import { list } from '#listing/list.js';
import { loadById } from '#listing/loader.js';
import { sessionListing, sessionRows } from '#listing/sessions.js';
import { userColumns } from '#listing/users.js';
import type { Context } from '#schema/context.js';
import { PageArgs } from '#schema/list.args.js';
import { OrganizationPageArgs } from '#schema/organization.args.js';
import { SessionPage } from '#schema/pages.js';
import { SessionArgs, SessionsArgs } from './sign-in.args.js';

/** Resolves sessions. A person reads and ends their own; an owner, those that act in the organization. */
@Resolver(() => Session)
export class SessionResolver {
  @Query(() => SessionPage, {
    description:
      'The sessions of the person who calls, in all organizations. A token sees those in its own organization alone.',
  })
  mySessions(@Args(() => PageArgs) args: PageArgs, @Ctx() ctx: Context): Promise<SessionPage> {
    return list<Session>(ctx, sessionListing(ctx.caller, can(ctx.caller, policies.ownSession.read)), args);
  }

  @Query(() => SessionPage, { description: 'The sessions of members that act in the organization.' })
  sessions(@Args(() => OrganizationPageArgs) args: OrganizationPageArgs, @Ctx() ctx: Context): Promise<SessionPage> {
    authorize(ctx, args.organizationId, policies.session.read);
    return list<Session>(ctx, sessionListing(ctx.caller, sql`s.organization_id = ${args.organizationId}`), args);
  }

  @Mutation(() => RevokedSessions, {
    description: 'Ends sessions of the person who calls. Sessions of other people are skipped.',
  })
  async revokeMySessions(
    @Args(() => SessionsArgs) { sessionIds }: SessionsArgs,
    @Ctx() ctx: Context,
  ): Promise<RevokedSessions> {
    const ids = JSON.stringify((sessionIds ?? []).filter(isId));
    return ctx.em.transactional(async (em) => {
      const ended = await execute(
        em,
        sql`delete from session s where s.id in (select x::uuid from jsonb_array_elements_text(${ids}::jsonb) x)
               and ${can(ctx.caller, policies.ownSession.end)} returning s.id`,
      );
      ctx.audit.about({ kind: 'session', id: null, name: null }, { sessions: [ended.length, 0] });
      return Object.assign(new RevokedSessions(), { count: ended.length });
    });
  }

  @Mutation(() => Session, { description: 'Ends a session that acts in the organization.' })
  async revokeSession(
    @Args(() => SessionArgs) { organizationId, sessionId }: SessionArgs,
    @Ctx() ctx: Context,
  ): Promise<Session> {
    authorize(ctx, organizationId, policies.session.end);
    if (!isId(sessionId)) throw notFound('session');
    const which = sql`s.id = ${sessionId} and s.organization_id = ${organizationId}`;
    const nameOfPerson = sql`, (select coalesce(u.name, u.username) from account u where u.id = s.user_id) as person`;
    const [session] = await ctx.read<Session & { person: string }>(
      sql`${sessionRows(ctx.caller, nameOfPerson)} where ${which}`,
    );
    if (session === undefined) throw notFound('session');
    const target = { kind: 'session', id: sessionId, name: session.person };
    await change(ctx, sql`delete from session s where ${which}`, target, { userId: [session.userId, null] });
    return session;
  }

  @FieldResolver(() => User, { description: 'Person who is signed in.' })
  user(@Root() { userId }: Session, @Ctx() ctx: Context): Promise<User | null> {
    return loadById(
      ctx,
      'session.user',
      userId,
      (ids) => sql`select ${userColumns} from account u where u.id = any(${ids}::uuid[])`,
    );
  }
}
