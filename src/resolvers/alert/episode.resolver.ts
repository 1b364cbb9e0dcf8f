import DataLoader from 'dataloader';
import sql, { join, type Sql } from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { targetOf } from '#audit/fields.js';
import { loadApplication } from '#auth/access.js';
import { execute } from '#auth/execute.js';
import { can, policies } from '#auth/policies.js';
import { invalid } from '#common/errors.js';
import { Organization } from '#entities/account.js';
import { AlertRule } from '#entities/alert-rule.js';
import { Application } from '#entities/application.js';
import type { Caller } from '#entities/caller.js';
import { GraphOnly } from '#entities/columns.js';
import { Device } from '#entities/device.js';
import { AcknowledgedEpisodes, Episode } from '#entities/episode.js';
import { isId } from '#entities/id.js';
import { alertRuleRows } from '#listing/alert-rules.js';
import { loadDeviceById } from '#listing/devices.js';
import { episodeConditions, episodeListing } from '#listing/episodes.js';
import { list, listBelow } from '#listing/list.js';
import { loadById, loaderOf } from '#listing/loader.js';
import type { Context } from '#schema/context.js';
import { SearchablePageArgs } from '#schema/list.args.js';
import { EpisodePage } from '#schema/pages.js';
import { AcknowledgeEpisodesArgs, EpisodesArgs, OrganizationEpisodesArgs } from './alert.args.js';

/** Maximum number of episodes that one call acknowledges. */
const maxAcknowledged = 10_000;
/** Timeout of counting open episodes, in milliseconds. */
const countTimeout = 5000;

/** Resolves the episodes of alert rules. */
@Resolver(() => Episode)
export class EpisodeResolver {
  constructor(private readonly clock: () => number) {}

  @Query(() => EpisodePage, { description: 'The episodes of an application, the newest first.' })
  async episodes(@Args(() => EpisodesArgs) args: EpisodesArgs, @Ctx() ctx: Context): Promise<EpisodePage> {
    const { id } = await loadApplication(ctx, args, policies.episode.read);
    return list(ctx, episodeListing([sql`e.application_id = ${id}`, ...episodeConditions(args)]), args);
  }

  @Mutation(() => AcknowledgedEpisodes, {
    description: `Acknowledges episodes by their identifiers, or all that match a filter, ${maxAcknowledged} per call. Callers who may read the application may do so.`,
  })
  async acknowledgeEpisodes(
    @Args(() => AcknowledgeEpisodesArgs) args: AcknowledgeEpisodesArgs,
    @Ctx() ctx: Context,
  ): Promise<AcknowledgedEpisodes> {
    const application = await loadApplication(ctx, args, policies.episode.acknowledge);
    const { id } = application;
    const chosen = episodeConditions(args);
    if (args.ids != null) chosen.push(among(args.ids.filter(isId)));
    if (chosen.length === 0) {
      throw invalid([{ path: 'ids', message: 'must be given, or else a filter such as `state`' }]);
    }
    const by = ctx.caller.userId ?? ctx.caller.organizationId;
    const now = new Date(this.clock()).toISOString();
    const done = await ctx.em.transactional(async (em) => {
      const acknowledged = await execute(
        em,
        sql`
      update episode set acknowledged_at = ${now}, acknowledged_by = ${by}, updated_at = ${now}
       where id in (select e.id from episode e where e.application_id = ${id} and e.acknowledged_at is null
                       and ${join(chosen, ' and ')} order by e.id limit ${maxAcknowledged} for no key update)
      returning id`,
      );
      ctx.audit.about(targetOf('Application', application), { acknowledged: [null, acknowledged.length] });
      return acknowledged;
    });
    return { count: done.length, hasMore: done.length === maxAcknowledged };
  }

  @FieldResolver(() => Device, {
    nullable: true,
    description: 'Device of the episode, if the caller can read it.',
  })
  @GraphOnly()
  device(@Root() { deviceId }: Episode, @Ctx() ctx: Context): Promise<Device | null> {
    return loadDeviceById(ctx, deviceId);
  }

  @FieldResolver(() => AlertRule, {
    nullable: true,
    description: 'Rule that opened the episode; null once the rule is deleted.',
  })
  @GraphOnly()
  alertRule(@Root() { alertRuleId }: Episode, @Ctx() ctx: Context): Promise<AlertRule | null> {
    // A caller who sees the episode may read its application, and so its rules.
    return loadById<AlertRule>(
      ctx,
      'episode.rule',
      alertRuleId,
      (ids) => sql`${alertRuleRows()} where r.id = any(${ids}::uuid[])`,
    );
  }
}

/**
 * Returns the condition that `episode e` is one of these. The identifiers are separate parameters, as the unit of work
 * accepts no arrays.
 */
const among = (ids: readonly string[]): Sql => (ids.length === 0 ? sql`false` : sql`e.id in (${join(ids)})`);

/** Returns the condition that `episode e` belongs to an application that the caller can read. */
const inReadable = (caller: Caller): Sql => sql`e.application_id in (select a.id from application a
  where a.organization_id = ${caller.organizationId} and ${can(caller, policies.episode.read)})`;

/** Resolves the episodes of organizations. */
@Resolver(() => Organization)
export class OrganizationEpisodesResolver {
  @FieldResolver(() => EpisodePage, {
    description: "Episodes of the organization's applications that the caller can read, the newest first.",
  })
  @GraphOnly()
  episodes(
    @Root() { id }: Organization,
    @Args(() => OrganizationEpisodesArgs) args: OrganizationEpisodesArgs,
    @Ctx() ctx: Context,
  ): Promise<EpisodePage> {
    const { applicationId } = args;
    const chosen =
      applicationId == null ? [] : [isId(applicationId) ? sql`e.application_id = ${applicationId}::uuid` : sql`false`];
    const where = [sql`e.organization_id = parent.id`, inReadable(ctx.caller), ...chosen, ...episodeConditions(args)];
    return listBelow(ctx, 'organization.episodes', id, () => episodeListing(where), args);
  }
}

/** Resolves the open episodes of devices. */
@Resolver(() => Device)
export class DeviceEpisodesResolver {
  @FieldResolver(() => EpisodePage, {
    description: 'Open episodes of the device, the newest first, in the applications that the caller can read.',
  })
  @GraphOnly()
  openEpisodes(
    @Root() { id }: Device,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<EpisodePage> {
    const listing = () =>
      episodeListing([sql`e.device_id = parent.id`, sql`e.closed_at is null`, inReadable(ctx.caller)]);
    return listBelow(ctx, 'device.openEpisodes', id, listing, args);
  }
}

/** Resolves the number of open episodes of applications. */
@Resolver(() => Application)
export class ApplicationEpisodesResolver {
  @FieldResolver(() => Int, { description: 'Number of open episodes of the application.' })
  @GraphOnly()
  openEpisodeCount(@Root() { id }: Application, @Ctx() ctx: Context): Promise<number> {
    const make = () =>
      new DataLoader<string, number>(async (ids) => {
        const counted = (await ctx.readWithin(
          sql`
          select application_id as id, count(*)::int as count from episode
           where application_id = any(${ids}::uuid[]) and closed_at is null group by application_id`,
          countTimeout,
        )) as { id: string; count: number }[];
        const counts = new Map(counted.map(({ id: of, count }) => [of, count]));
        return ids.map((each) => counts.get(each) ?? 0);
      });
    return loaderOf(ctx, 'application.openEpisodeCount', make).load(id);
  }
}
