import sql, { empty, type Sql } from 'sql-template-tag';
import type { Listing } from './list-read.js';

/** Selects jobs, as `j`. `also` adds columns, after a comma. */
export const jobRows = (also: Sql = empty): Sql => sql`
  select j.id, j.organization_id as "organizationId", j.kind, j.state, j.done::float8 as done, j.total::float8 as total,
         j.changed::float8 as changed, j.error, j.created_at as "createdAt", j.updated_at as "updatedAt"${also}
    from job j`;

/** Defines a list of jobs, the newest first. */
export const jobListing = (where: readonly Sql[]): Listing => ({
  rows: (_selected, also) => jobRows(also),
  from: sql`from job j`,
  where,
  matched: [sql`j.kind`, sql`j.error`],
  sortable: {
    id: sql`j.id`,
    kind: sql`j.kind`,
    state: sql`j.state`,
    createdAt: sql`j.created_at`,
    updatedAt: sql`j.updated_at`,
  },
  order: sql`j.id`,
  descending: true,
  tie: sql`j.id`,
});
