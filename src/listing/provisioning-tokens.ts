import sql, { empty, type Sql } from 'sql-template-tag';
import { tokenListing } from './api-tokens.js';
import type { Listing } from './list-read.js';

const from: Sql = sql`from api_token k join provisioning v on v.token_id = k.id`;

/** Selects provisioning tokens, as `k`. `also` adds columns, after a comma. */
export const provisioningTokenRows = (also: Sql = empty): Sql => sql`
  select k.id, k.organization_id as "organizationId", k.product_id as "productId", k.name, k.prefix,
         v.device_limit as "deviceLimit", v.device_count as "deviceCount", k.created_at as "createdAt",
         k.last_used_at as "lastUsedAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt"${also} ${from}`;

export const provisioningTokenListing = (where: readonly Sql[]): Listing => {
  const { scope: _scope, ...sortable } = tokenListing([]).sortable;
  const counts = { deviceLimit: sql`v.device_limit`, deviceCount: sql`v.device_count` };
  return {
    ...tokenListing(where),
    rows: (_selected, also) => provisioningTokenRows(also),
    from,
    sortable: { ...sortable, ...counts },
  };
};
