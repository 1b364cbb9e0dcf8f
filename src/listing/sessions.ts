import sql, { empty, type Sql } from 'sql-template-tag';
import { isOpen } from '#auth/session-validity.js';
import type { Caller } from '#entities/caller.js';
import type { Listing } from './list-read.js';

/** Selects sessions, as `s`. */
export const sessionRows = (caller: Pick<Caller, 'tokenId'>, also: Sql = empty): Sql => sql`
  select s.id, s.user_id as "userId", s.organization_id as "organizationId", s.created_at as "createdAt",
         s.last_used_at as "lastUsedAt", s.expires_at as "expiresAt", s.user_agent as "userAgent", s.address,
         s.id = ${caller.tokenId} as current${also} from session s`;

/** Defines a list of open sessions. */
export const sessionListing = (caller: Caller, where: Sql): Listing => ({
  rows: (_selected, also) => sessionRows(caller, also),
  from: sql`from session s`,
  where: [where, isOpen],
  sortable: {
    id: sql`s.id`,
    createdAt: sql`s.created_at`,
    lastUsedAt: sql`s.last_used_at`,
    expiresAt: sql`s.expires_at`,
  },
  order: sql`s.id`,
  descending: true,
  tie: sql`s.id`,
});
