import sql, { type Sql } from 'sql-template-tag';

const day = 86_400_000;

/** Milliseconds. */
export const week = 7 * day;

/** The first Monday of the Unix epoch. */
const monday = 4 * day;

/** The start of the week (Monday, UTC) that a moment is in; both in milliseconds. */
export const weekStart = (moment: number): number => Math.floor((moment - monday) / week) * week + monday;

/** The same in SQL. */
export const weekOf = (moment: Sql): Sql => sql`date_bin('7 days', ${moment}, timestamptz '1970-01-05 00:00:00+00')`;
