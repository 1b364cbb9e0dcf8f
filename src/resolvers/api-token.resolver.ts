import sql from 'sql-template-tag';
import { Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { requireOrganization } from '../auth/access.js';
import { execute } from '../auth/execute.js';
import { loadMember } from '../auth/membership.js';
import { hashToken, newToken, tokenPrefix } from '../auth/token.js';
import { ApiToken, NewApiToken } from '../entities/api-token.js';
import { isId, newId } from '../entities/id.js';
import { invalid, notFound } from '../errors.js';
import { ApiTokenArgs, ApiTokensArgs, CreateApiTokenArgs } from '../schema/api-token.args.js';
import type { Context } from '../schema/context.js';
import { ApiTokenPage } from '../schema/pages.js';
import { tokenColumns, tokenListing } from './api-tokens.js';
import { list } from './list.js';

/** Tokens of the organization, which only its owners see and make. */
@Resolver(() => ApiToken)
export class ApiTokenResolver {
  /** The clock tells milliseconds since the epoch. */
  constructor(private readonly clock: () => number) {}

  @Query(() => ApiTokenPage, { description: 'The tokens of the organization, revoked and expired ones included.' })
  apiTokens(@Args(() => ApiTokensArgs) args: ApiTokensArgs, @Ctx() ctx: Context): Promise<ApiTokenPage> {
    requireOrganization(ctx, args.organizationId, 'own');
    return list<ApiToken>(ctx, tokenListing([sql`k.organization_id = ${args.organizationId}`]), args);
  }

  @Mutation(() => NewApiToken, { description: 'Makes a token. It is shown in this answer and never again.' })
  async createApiToken(
    @Args(() => CreateApiTokenArgs) { organizationId, userId, scope, name, expiresAt }: CreateApiTokenArgs,
    @Ctx() ctx: Context,
  ): Promise<NewApiToken> {
    requireOrganization(ctx, organizationId, 'own');
    if (expiresAt != null && expiresAt.getTime() <= this.clock()) {
      throw invalid([{ path: 'expiresAt', message: 'must be in the future' }]);
    }
    if (userId != null) await loadMember(ctx, organizationId, userId);
    const token = newToken();
    const stored = Object.assign(new ApiToken(), {
      id: newId(),
      organizationId,
      userId,
      scope,
      name,
      hash: hashToken(token),
      prefix: tokenPrefix(token),
      expiresAt: expiresAt?.toISOString(),
    });
    await ctx.em.persist(stored).flush();
    return { token, apiToken: stored };
  }

  @Mutation(() => ApiToken, { description: 'Ends a token for good.' })
  async revokeApiToken(
    @Args(() => ApiTokenArgs) { organizationId, tokenId }: ApiTokenArgs,
    @Ctx() ctx: Context,
  ): Promise<ApiToken> {
    requireOrganization(ctx, organizationId, 'own');
    if (!isId(tokenId)) throw notFound('token');
    await execute(
      ctx.em,
      sql`update api_token set revoked_at = coalesce(revoked_at, now())
           where organization_id = ${organizationId} and id = ${tokenId}`,
    );
    const [token] = await ctx.read<ApiToken>(
      sql`select ${tokenColumns} from api_token k where k.organization_id = ${organizationId} and k.id = ${tokenId}`,
    );
    if (token === undefined) throw notFound('token');
    return token;
  }
}
