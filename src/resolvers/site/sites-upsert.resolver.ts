import sql from 'sql-template-tag';
import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { execute } from '#auth/execute.js';
import { policies } from '#auth/policies.js';
import { PutAnswer } from '#entities/put-answer.js';
import { Site } from '#entities/site.js';
import type { Context } from '#schema/context.js';
import { upsertMany } from '#upsert/upsert-many.js';
import { PutSitesArgs, type SiteInput } from './site.args.js';
import { planSites, type SitePlace, type StoredPlace } from './site-plan.js';
import { correctPaths, lockTree } from './site-tree.js';

/** Resolves the mutation that puts many sites by their keys. */
@Resolver()
export class SitesUpsertResolver {
  @Mutation(() => PutAnswer, {
    description:
      'Creates, changes and moves sites by the keys of a tool. One outcome per site, in order; the fault of one does not fail the others. Only the tree that results from the whole call counts.',
  })
  putSites(
    @Args(() => PutSitesArgs) { organizationId, sites, dryRun }: PutSitesArgs,
    @Ctx() ctx: Context,
  ): Promise<PutAnswer> {
    authorize(ctx, organizationId, policies.site.change);
    let plan: ReadonlyMap<SiteInput, SitePlace>;
    return upsertMany(ctx, sites, {
      organizationId,
      key: 'externalId',
      isDry: dryRun === true,
      type: Site,
      async prepare(em, items) {
        const room = await lockTree(em, organizationId);
        const stored = await execute<StoredPlace>(
          em,
          sql`select id, parent_id as "parentId", external_id as "externalId" from site where organization_id = ${organizationId}`,
        );
        plan = planSites(stored, items, room);
      },
      make: () => Object.assign(new Site(), { organizationId }),
      change(site, item) {
        const place = plan.get(item)!;
        if ('fault' in place) throw place.fault;
        Object.assign(site, { ...place, parentId: place.path.at(-2) ?? null }).change(item);
      },
      // Sites that the call does not name are below some that it moves.
      afterFlush: (em) => correctPaths(em, organizationId),
    });
  }
}
