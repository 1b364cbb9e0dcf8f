import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Application } from '../entities/application.js';
import { GraphOnly } from '../entities/columns.js';
import { Permission } from '../entities/enums.js';
import { forbidden } from '../errors.js';
import type { Context } from '../schema/context.js';
import { SearchablePageArgs } from '../schema/list.args.js';
import { HookPage } from '../schema/pages.js';
import { hookListing } from './hooks.js';
import { listBelow } from './list.js';

/** The hooks of applications, where a query follows them. */
@Resolver(() => Application)
export class ApplicationHooksResolver {
  @FieldResolver(() => HookPage, { nullable: true, description: 'Its hooks; only for who may change it.' })
  @GraphOnly()
  hooks(
    @Root() { id, permission }: Application,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<HookPage> {
    if (permission !== Permission.write) throw forbidden('You may read this application, but not see its hooks.');
    return listBelow(ctx, 'application.hooks', id, hookListing([sql`h.application_id = parent.id`]), args);
  }
}
