import sql, { type Sql } from 'sql-template-tag';
import { dayMs, weekMs } from '#common/time.js';

/** The first Monday after the Unix epoch, in milliseconds. */
const monday = 4 * dayMs;

/** Returns the start of the week (Monday, UTC) of a time; both in milliseconds since 1970. */
export const weekStart = (time: number): number => Math.floor((time - monday) / weekMs) * weekMs + monday;

/** SQL expression of the start of the week of a time. */
export const weekOf = (time: Sql): Sql => sql`date_bin('7 days', ${time}, timestamptz '1970-01-05 00:00:00+00')`;
