import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { loadApplication } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { Application } from '#entities/application.js';
import { GraphOnly } from '#entities/columns.js';
import { SearchAnswer } from '#entities/search-answer.js';
import type { Search } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import { Costs } from '#schema/cost.js';
import { isLink } from '#schema/dashboard-link.js';
import { SearchArgs, SearchBelowArgs } from './search.args.js';

/** Cost in objects of a search below an application, which takes at least one statement of its own. */
const searchCost = 250;

/** Resolves searches, in the language and form of search engines. */
@Resolver(() => Application)
export class SearchResolver {
  constructor(private readonly records: Search) {}

  @Query(() => SearchAnswer, { description: 'Searches the records of devices linked to an application.' })
  async search(
    @Args(() => SearchArgs) { organizationId, applicationId, ts, queries }: SearchArgs,
    @Ctx() ctx: Context,
  ): Promise<SearchAnswer> {
    // Faults in `ts` and `queries` are reported before the application is looked up.
    const ask = this.records.prepare(ts, queries);
    const permitted = loadApplication(ctx, { organizationId, applicationId }, policies.record.search);
    const { caller, position, signal } = ctx;
    // Until it is permitted, the search counts towards the caller's own organization, whichever the call names.
    const answer = ask({
      organizationId: caller.organizationId,
      applicationId,
      withoutAttributes: isLink(caller),
      position,
      signal,
      permitted,
    });
    // The caller gets the error of the permission, even if the search fails before.
    answer.catch(() => undefined);
    await permitted;
    return answer;
  }

  @Costs(searchCost)
  @FieldResolver(() => SearchAnswer, {
    name: 'search',
    description:
      "Searches the records of the application's devices. Each application is a separate search, which costs 250 objects.",
  })
  @GraphOnly()
  searchBelow(
    @Root() { id, organizationId }: Application,
    @Args(() => SearchBelowArgs) { ts, queries }: SearchBelowArgs,
    @Ctx() ctx: Context,
  ): Promise<SearchAnswer> {
    const { caller, position, signal } = ctx;
    const withoutAttributes = isLink(caller);
    return this.records.prepare(
      ts,
      queries,
    )({ organizationId, applicationId: id, withoutAttributes, position, signal });
  }
}
