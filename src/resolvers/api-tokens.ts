import sql, { type Sql } from 'sql-template-tag';
import { ignoringCase } from './list.js';
import type { Listing } from './listing.js';

/** What is told of a token, `k`; its hash never is. */
export const tokenColumns: Sql = sql`
  k.id, k.organization_id as "organizationId", k.user_id as "userId", k.name, k.scope, k.prefix,
  k.created_at as "createdAt", k.last_used_at as "lastUsedAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt"`;

/** A list of tokens. */
export const tokenListing = (where: readonly Sql[]): Listing => ({
  rows: () => sql`select ${tokenColumns} from api_token k`,
  from: sql`from api_token k`,
  where,
  matched: [sql`k.name`],
  sortable: {
    id: sql`k.id`,
    name: ignoringCase(sql`k.name`),
    scope: sql`k.scope`,
    prefix: sql`k.prefix`,
    createdAt: sql`k.created_at`,
    lastUsedAt: sql`k.last_used_at`,
    expiresAt: sql`k.expires_at`,
    revokedAt: sql`k.revoked_at`,
  },
  order: sql`k.id`,
  tie: sql`k.id`,
});
