import sql from 'sql-template-tag';
import { Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { loadMember } from '#auth/membership.js';
import { policies } from '#auth/policies.js';
import { ApiToken, NewApiToken } from '#entities/api-token.js';
import { endToken, makeToken, ofOrganization, tokenListing } from '#listing/api-tokens.js';
import { list } from '#listing/list.js';
import type { Context } from '#schema/context.js';
import { ApiTokenPage } from '#schema/pages.js';
import { ApiTokenArgs, ApiTokensArgs, CreateApiTokenArgs } from './api-token.args.js';

/** Resolves the tokens of the organization, which only owners may read and create. */
@Resolver(() => ApiToken)
export class ApiTokenResolver {
  /** @param clock returns milliseconds since the epoch. */
  constructor(private readonly clock: () => number) {}

  @Query(() => ApiTokenPage, {
    description:
      'The tokens of the organization, including revoked and expired ones, but without those of its devices and products.',
  })
  apiTokens(@Args(() => ApiTokensArgs) args: ApiTokensArgs, @Ctx() ctx: Context): Promise<ApiTokenPage> {
    authorize(ctx, args.organizationId, policies.apiToken.read);
    return list<ApiToken>(ctx, tokenListing([sql`k.organization_id = ${args.organizationId}`, ofOrganization]), args);
  }

  @Mutation(() => NewApiToken, { description: 'Creates a token. It is shown only in this answer.' })
  async createApiToken(
    @Args(() => CreateApiTokenArgs) { organizationId, userId, scope, name, expiresAt }: CreateApiTokenArgs,
    @Ctx() ctx: Context,
  ): Promise<NewApiToken> {
    authorize(ctx, organizationId, policies.apiToken.change);
    if (userId != null) await loadMember(ctx, organizationId, userId);
    return makeToken(ctx.em, { organizationId, userId, scope, name, expiresAt }, this.clock());
  }

  @Mutation(() => ApiToken, { description: 'Revokes a token permanently.' })
  async revokeApiToken(
    @Args(() => ApiTokenArgs) { organizationId, tokenId }: ApiTokenArgs,
    @Ctx() ctx: Context,
  ): Promise<ApiToken> {
    authorize(ctx, organizationId, policies.apiToken.change);
    return endToken(ctx, tokenId, [sql`k.organization_id = ${organizationId}`]);
  }
}
