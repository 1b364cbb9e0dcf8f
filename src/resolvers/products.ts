import sql, { type Sql } from 'sql-template-tag';
import { deviceCount, productRows } from '../auth/rows.js';
import type { Caller } from '../entities/caller.js';
import { ignoringCase } from './list.js';
import type { Listing } from './listing.js';

/** A list of products, as `p`. */
export const productListing = (caller: Caller, where: readonly Sql[]): Listing => ({
  rows: (selected) => productRows(caller, selected),
  from: sql`from product p`,
  where,
  matched: [sql`p.name`, sql`p.slug`, sql`p.version`],
  sortable: {
    id: sql`p.id`,
    organizationId: sql`p.organization_id`,
    name: ignoringCase(sql`p.name`),
    slug: ignoringCase(sql`p.slug`),
    version: sql`p.version`,
    public: sql`p.public`,
    deviceCount: deviceCount(caller),
    createdAt: sql`p.created_at`,
    updatedAt: sql`p.updated_at`,
  },
  order: sql`p.id`,
  tie: sql`p.id`,
});
