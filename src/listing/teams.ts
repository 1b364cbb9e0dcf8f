import sql, { empty } from 'sql-template-tag';
import { teamRows } from '#auth/rows.js';
import type { WhichBelow } from './applications.js';
import { ignoringCase } from './list.js';
import type { Listing } from './list-read.js';

/** Defines a list of teams, as `t`. */
export const teamListing = ({ joined = empty, order, ...which }: WhichBelow): Listing => ({
  rows: (selected, also) => sql`${teamRows(selected, also)} ${joined}`,
  from: sql`from team t ${joined}`,
  ...which,
  matched: [sql`t.name`, sql`t.description`],
  sortable: {
    id: sql`t.id`,
    organizationId: sql`t.organization_id`,
    name: ignoringCase(sql`t.name`),
    slug: ignoringCase(sql`t.slug`),
    description: ignoringCase(sql`t.description`),
    createdAt: sql`t.created_at`,
    updatedAt: sql`t.updated_at`,
  },
  order,
  tie: sql`t.id`,
});
