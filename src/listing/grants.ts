import sql, { type Sql } from 'sql-template-tag';
import { ignoringCase } from './list.js';
import type { Listing } from './list-read.js';

const from = sql`from team_application l join application a on a.id = l.application_id join team t on t.id = l.team_id`;

/**
 * Defines a list of the permissions that teams (`t`) have on applications (`a`). It is searched and sorted by the names
 * at its other end.
 */
const grantListing = (where: readonly Sql[], name: Sql, others: readonly Sql[]): Listing => ({
  rows: () => sql`select a.id, t.id as "teamId", l.permission ${from}`,
  from,
  where,
  matched: [name, ...others],
  sortable: { name: ignoringCase(name), permission: sql`l.permission`, createdAt: sql`l.created_at` },
  order: sql`l.created_at`,
  tie: sql`a.id, t.id`,
});

/** Defines the list of applications that the team `parent` gives access to. */
export const grantsOfTeam = (readable: Sql): Listing =>
  grantListing([sql`l.team_id = parent.id`, readable], sql`a.name`, [sql`a.slug`, sql`a.description`]);

/** Defines the list of teams that have access to the application `parent`, with their permissions. */
export const grantsOfApplication = (): Listing =>
  grantListing([sql`l.application_id = parent.id`], sql`t.name`, [sql`t.description`]);
