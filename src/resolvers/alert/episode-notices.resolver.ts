import DataLoader from 'dataloader';
import sql, { type Sql } from 'sql-template-tag';
import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { writersOnly } from '#auth/access.js';
import { can, policies } from '#auth/policies.js';
import { forbidden } from '#common/errors.js';
import { GraphOnly } from '#entities/columns.js';
import { Episode, EpisodeCall, EpisodeMail } from '#entities/episode.js';
import { loadById, loaderOf } from '#listing/loader.js';
import type { Context } from '#schema/context.js';

/** Timeout of a statement that reads notices, in milliseconds. */
const timeout = 5000;

/** Maximum number of calls of one episode. */
const maxCalls = 100;

/** Resolves who was notified of an episode. */
@Resolver(() => Episode)
export class EpisodeNoticesResolver {
  @FieldResolver(() => [EpisodeMail], {
    description: 'Mails about the episode, in the order of sending; last those that wait, for confirmed addresses.',
  })
  @GraphOnly()
  mails(@Root() { id }: Episode, @Ctx() ctx: Context): Promise<EpisodeMail[]> {
    return loadBelow<EpisodeMail>(ctx, 'episode.mails', id, mailsOf);
  }

  @FieldResolver(() => [EpisodeCall], {
    nullable: true,
    description: `Calls of hooks about the episode, the oldest first, at most ${maxCalls}; only for callers who may change the application.`,
  })
  @GraphOnly()
  async calls(@Root() { id, applicationId }: Episode, @Ctx() ctx: Context): Promise<EpisodeCall[]> {
    const writable = await loadById(
      ctx,
      'writable application',
      applicationId,
      (ids) =>
        sql`select a.id from application a where a.id = any(${ids}::uuid[]) and ${can(ctx.caller, policies.delivery.read)}`,
    );
    if (writable === null) throw forbidden(writersOnly);
    return loadBelow<EpisodeCall>(ctx, 'episode.calls', id, callsOf);
  }
}

/** Loads the rows below an episode, with one statement for all episodes that are requested in the same tick. */
function loadBelow<Item>(ctx: Context, key: string, id: string, rowsOf: (ids: readonly string[]) => Sql) {
  const make = () =>
    new DataLoader<string, Item[]>(async (ids) => {
      const rows = (await ctx.readWithin(rowsOf(ids), timeout)) as (Item & { episodeId: string })[];
      const byEpisode = Map.groupBy(rows, ({ episodeId }) => episodeId);
      return ids.map((each) => byEpisode.get(each) ?? []);
    });
  return loaderOf(ctx, key, make).load(id);
}

/** Selects the calls about episodes. The identifier of an episode is older than those of its deliveries. */
const callsOf = (ids: readonly string[]): Sql => sql`
  select e.id as "episodeId", x.* from episode e cross join lateral (
    select d.hook_id as "applicationHookId", case d.kind when 'alert.opened' then 'open' else 'closed' end as of, d.state,
           d.attempts_made as "attemptsMade", d.created_at as "createdAt"
      from delivery d
     where d.application_id = e.application_id and d.device_id = e.device_id and d.id > e.id
       and d.kind in ('alert.opened', 'alert.closed') and d.payload #>> '{episode,id}' = e.id::text
     order by d.id limit ${maxCalls}) x
   where e.id = any(${ids}::uuid[])`;

/** Selects the mails about episodes: sent ones first. */
const mailsOf = (ids: readonly string[]): Sql => sql`
  select * from (
    select m.episode_id as "episodeId", m.address, case m.kind when 'opened' then 'open' else 'closed' end as of,
           m.sent_at as "sentAt"
      from episode_mail m where m.episode_id = any(${ids}::uuid[])
     union all
    select e.id, r.address, case m.notice ->> 'kind' when 'opened' then 'open' else 'closed' end, null
      from episode e join alert_recipient r on r.organization_id = e.organization_id and r.state = 'confirmed'
      join alert_mail m on m.recipient_id = r.id and m.notice ->> 'episodeId' = e.id::text
     where e.id = any(${ids}::uuid[])) x
   order by "sentAt" nulls last, address`;
