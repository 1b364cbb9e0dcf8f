import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { loadApplication } from '../auth/access.js';
import { SearchAnswer } from '../entities/search-answer.js';
import type { Search } from '../records/search/search.js';
import type { Context } from '../schema/context.js';
import { SearchArgs } from '../schema/search.args.js';

/** Records out: what search engines' clients ask, answered as those engines do. */
@Resolver()
export class SearchResolver {
  constructor(private readonly records: Search) {}

  @Query(() => SearchAnswer, { description: 'Searches the records of devices linked to an application.' })
  async search(
    @Args(() => SearchArgs) { organizationId, applicationId, ts, queries }: SearchArgs,
    @Ctx() ctx: Context,
  ): Promise<SearchAnswer> {
    // The envelope's faults come before the question whether there is such an application.
    const ask = this.records.prepare(ts, queries);
    await loadApplication(ctx, organizationId, applicationId, 'read');
    return ask({ organizationId, applicationId, signal: ctx.signal });
  }
}
