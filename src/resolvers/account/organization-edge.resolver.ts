import sql from 'sql-template-tag';
import { type ClassType, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { accountRows } from '#auth/rows.js';
import { type Account, Organization } from '#entities/account.js';
import { ApiToken } from '#entities/api-token.js';
import { Application } from '#entities/application.js';
import { GraphOnly } from '#entities/columns.js';
import { Device } from '#entities/device.js';
import { Job } from '#entities/job.js';
import { Product } from '#entities/product.js';
import { Site } from '#entities/site.js';
import { Team } from '#entities/team.js';
import { loadById } from '#listing/loader.js';
import type { Context } from '#schema/context.js';

/** Creates a resolver of the organization that owns an object, for callers who belong to it. */
const edgeFrom = (type: ClassType): ClassType => {
  @Resolver(() => type)
  class OrganizationEdgeResolver {
    @FieldResolver(() => Organization, {
      nullable: true,
      description: 'Organization that owns it, if the caller belongs to it.',
    })
    @GraphOnly()
    organization(
      @Root() { organizationId }: { organizationId: string },
      @Ctx() ctx: Context,
    ): Promise<Account | null> | null {
      if (organizationId !== ctx.caller.organizationId) return null;
      return loadById(
        ctx,
        'organization',
        organizationId,
        (ids) => sql`${accountRows} where o.id = any(${ids}::uuid[])`,
      );
    }
  }
  return OrganizationEdgeResolver;
};

/** Resolver classes, one for each type that belongs to an organization. */
export const organizationEdges = [ApiToken, Application, Device, Job, Product, Site, Team].map(edgeFrom);
