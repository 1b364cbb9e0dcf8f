import sql from 'sql-template-tag';
import { Args, type ClassType, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { Application } from '#entities/application.js';
import { AuditEvent } from '#entities/audit-event.js';
import { GraphOnly } from '#entities/columns.js';
import { Device } from '#entities/device.js';
import { Hook } from '#entities/hook.js';
import { Product } from '#entities/product.js';
import { Team } from '#entities/team.js';
import { auditConditions, auditEventListing } from '#listing/audit-events.js';
import { list, listBelow } from '#listing/list.js';
import type { Context } from '#schema/context.js';
import { SearchablePageArgs } from '#schema/list.args.js';
import { AuditEventPage } from '#schema/pages.js';
import { AuditEventsArgs } from './audit.args.js';

/** Resolves the audit log, which only owners may read. */
@Resolver(() => AuditEvent)
export class AuditResolver {
  @Query(() => AuditEventPage, {
    description: 'The audit log of the organization, newest event first: who did what to which thing.',
  })
  auditEvents(@Args(() => AuditEventsArgs) args: AuditEventsArgs, @Ctx() ctx: Context): Promise<AuditEventPage> {
    authorize(ctx, args.organizationId, policies.auditEvent.read);
    const where = [sql`e.organization_id = ${args.organizationId}`, ...auditConditions(args.filter ?? args)];
    return list(ctx, auditEventListing(where), args);
  }
}

/** Creates the resolver of the field `history` for one type. */
function historyOf<Thing extends { id: string }>(type: ClassType<Thing>, name: string): ClassType {
  @Resolver(() => type)
  class HistoryResolver {
    @FieldResolver(() => AuditEventPage, {
      nullable: true,
      description: 'Events of the audit log about this thing, newest first; only for owners.',
    })
    @GraphOnly()
    history(
      @Root() { id }: Thing,
      @Args(() => SearchablePageArgs) args: SearchablePageArgs,
      @Ctx() ctx: Context,
    ): Promise<AuditEventPage> {
      const { organizationId } = ctx.caller;
      authorize(ctx, organizationId, policies.auditEvent.read);
      const where = [sql`e.target_id = parent.id`, sql`e.organization_id = ${organizationId}`];
      return listBelow(ctx, `${name}.history`, id, () => auditEventListing(where), args);
    }
  }
  return HistoryResolver;
}

/** The resolvers of the field `history`. */
export const historyResolvers: readonly ClassType[] = [
  historyOf(Application, 'application'),
  historyOf(Device, 'device'),
  historyOf(Hook, 'hook'),
  historyOf(Product, 'product'),
  historyOf(Team, 'team'),
];
