import sql, { empty, type Sql } from 'sql-template-tag';
import { isOpenInvitation } from '#auth/invitation-validity.js';
import { ignoringCase } from './list.js';
import type { Listing } from './list-read.js';

/** Selects invitations, as `i`, without the hash of the link. */
export const invitationRows = (also: Sql = empty): Sql => sql`
  select i.id, i.organization_id as "organizationId", i.email, i.role, i.team_ids as "teamIds",
         i.created_at as "createdAt", i.expires_at as "expiresAt"${also} from invitation i`;

/** Defines a list of invitations whose links are valid. */
export const invitationListing = (organizationId: string): Listing => ({
  rows: (_selected, also) => invitationRows(also),
  from: sql`from invitation i`,
  where: [sql`i.organization_id = ${organizationId}`, isOpenInvitation],
  sortable: {
    id: sql`i.id`,
    email: ignoringCase(sql`i.email`),
    role: sql`i.role`,
    createdAt: sql`i.created_at`,
    expiresAt: sql`i.expires_at`,
  },
  order: sql`i.id`,
  tie: sql`i.id`,
});
