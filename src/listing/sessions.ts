import sql, { empty, type Sql } from 'sql-template-tag';
import { isOpen } from '#auth/session-validity.js';
import type { Caller } from '#entities/caller.js';
import type { Listing } from './list-read.js';

/** Selects sessions, as `s`. */
export const sessionRows = (caller: Pick<Caller, 'tokenId'>, also: Sql = empty): Sql => sql`
  select s.id, s.user_id as "userId", s.organization_id as "organizationId", s.created_at as "createdAt",
         s.last_used_at as "lastUsedAt", s.expires_at as "expiresAt", s.user_agent as "userAgent", s.address,
         s.id = ${caller.tokenId} as current${also} from session s`;

/**
 * Condition on `session s`: it belongs to the person who calls. A token only reaches sessions of its own organization,
 * because an owner of that organization may have made the token.
 */
export const isOwn = ({ userId, bySession, organizationId }: Caller): Sql =>
  bySession ? sql`s.user_id = ${userId}` : sql`(s.user_id = ${userId}::uuid and s.organization_id = ${organizationId})`;

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
