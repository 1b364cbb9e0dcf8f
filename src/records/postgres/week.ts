import sql, { type Sql } from 'sql-template-tag';

const day = 86_400_000;

/** Length of a week in milliseconds. */
export const week = 7 * day;

/** The first Monday after the Unix epoch, in milliseconds. */
const monday = 4 * day;

/** Returns the start of the week (Monday, UTC) of a time; both in milliseconds since 1970. */
export const weekStart = (time: number): number => Math.floor((time - monday) / week) * week + monday;

/** SQL expression of the start of the week of a time. */
export const weekOf = (time: Sql): Sql => sql`date_bin('7 days', ${time}, timestamptz '1970-01-05 00:00:00+00')`;
