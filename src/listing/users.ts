import sql, { empty, type Sql } from 'sql-template-tag';
import type { Which } from './applications.js';
import { ignoringCase } from './list.js';
import type { Listing } from './list-read.js';

/** A selection of users `u`: source tables, additional columns, conditions and order. */
export interface WhichUsers extends Omit<Which, 'joined'> {
  columns?: Sql;
  from: Sql;
  sortable?: Readonly<Record<string, Sql>>;
}

/** Columns of a user `u`. */
export const userColumns: Sql = sql`u.id, u.username, u.name, u.type`;

export const userListing = ({ columns = empty, from, where, sortable = {}, order }: WhichUsers): Listing => ({
  rows: (_selected, also = empty) => sql`select ${userColumns}${columns}${also} ${from}`,
  from,
  where,
  matched: [sql`u.username`, sql`u.name`],
  sortable: {
    id: sql`u.id`,
    username: sql`u.username`,
    name: ignoringCase(sql`u.name`),
    type: sql`u.type`,
    createdAt: sql`u.created_at`,
    updatedAt: sql`u.updated_at`,
    ...sortable,
  },
  order,
  tie: sql`u.id`,
});

/** Defines the list of a team's members, in the order in which they joined it. */
export const teamMemberListing = (team: Sql): Listing =>
  userListing({
    from: sql`from team_member l join account u on u.id = l.user_id`,
    where: [sql`l.team_id = ${team}`],
    order: sql`l.created_at`,
  });

/** Defines a list of an organization's members: users as `u`, each with the membership as `m`. */
export const memberListing = (where: readonly Sql[]): Listing =>
  userListing({
    columns: sql`, m.role`,
    from: sql`from membership m join account u on u.id = m.user_id`,
    where,
    sortable: { role: sql`m.role` },
    order: sql`m.created_at`,
  });
