import sql, { type Sql } from 'sql-template-tag';
import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { execute } from '#auth/execute.js';
import { policies } from '#auth/policies.js';
import { invalid } from '#common/errors.js';
import { PutAnswer } from '#entities/put-answer.js';
import { Site } from '#entities/site.js';
import { type AttributePlan, type OwnedAttributes, planAttributes, storeAttributes } from '#imports/attributes.js';
import { repeatedAttributes } from '#listing/attribute.args.js';
import type { Context, Read } from '#schema/context.js';
import { upsertMany } from '#upsert/upsert-many.js';
import { PutSitesArgs, type SiteInput } from './site.args.js';
import { planSites, type SitePlace, type StoredPlace } from './site-plan.js';
import { correctPaths, lockTree } from './site-tree.js';

/** Resolves the mutation that puts many sites by their keys. */
@Resolver()
export class SitesUpsertResolver {
  constructor(private readonly clock: () => number) {}

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
    let attributes: ReadonlyMap<string, AttributePlan>;
    const isDry = dryRun === true;
    const stored = new Map<string, AttributePlan['writes']>();
    const owners = { kind: 'site', organizationId } as const;
    return upsertMany(ctx, sites, {
      organizationId,
      key: 'externalId',
      isDry,
      type: Site,
      prepare: async (em, items) => {
        const room = await lockTree(em, organizationId);
        const places = await execute<StoredPlace>(
          em,
          sql`select id, parent_id as "parentId", external_id as "externalId" from site where organization_id = ${organizationId}`,
        );
        plan = planSites(places, items, room);
        const run: Read = <Row extends object>(query: Sql) => execute<Row>(em, query);
        const now = new Date(this.clock());
        attributes = await planAttributes(run, owners, attributesOf(plan), { dryRun: isDry, now });
      },
      make: () => Object.assign(new Site(), { organizationId }),
      change: (site, item) => {
        const place = plan.get(item)!;
        if ('fault' in place) throw place.fault;
        const { writes = [], faults: tooMany = [] } = attributes.get(place.id) ?? {};
        const faults = [...repeatedAttributes(item.attributes ?? []), ...tooMany];
        if (faults.length > 0) throw invalid(faults);
        stored.set(place.id, writes);
        Object.assign(site, { ...place, parentId: place.path.at(-2) ?? null }).change(item);
      },
      changesBeside: (item) => {
        const place = plan.get(item)!;
        return 'id' in place && (stored.get(place.id)?.length ?? 0) > 0;
      },
      afterFlush: async (em) => {
        // Sites that the call does not name are below some that it moves.
        await correctPaths(em, organizationId);
        const run: Read = <Row extends object>(query: Sql) => execute<Row>(em, query);
        const writes = [...stored].flatMap(([ownerId, some]) => some.map((write) => ({ ...write, ownerId })));
        await storeAttributes(run, owners, writes);
      },
    });
  }
}

/** Returns the attributes of the sites whose items give them any. */
const attributesOf = (plan: ReadonlyMap<SiteInput, SitePlace>): OwnedAttributes[] =>
  [...plan].flatMap(([{ attributes }, place]) =>
    'id' in place && attributes != null && attributes.length > 0 ? { ownerKey: place.id, attributes } : [],
  );
