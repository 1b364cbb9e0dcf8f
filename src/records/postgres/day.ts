import sql, { type Sql } from 'sql-template-tag';

/** The day (UTC) that a moment is in, in SQL, as the index `record_rollup_device` has it. */
export const dayOf = (moment: Sql): Sql => sql`date_bin('1 day', ${moment}, timestamptz '1970-01-01 00:00:00+00')`;

/** Whether an hour is between two moments, the second of which is not in it. */
export const hoursOf = (hour: Sql, from: Sql, to: Sql): Sql => sql`${hour} >= ${from} and ${hour} < ${to}`;

/** The same, with their days, by which the index `record_rollup_device` finds the hours of some devices. */
export const hoursOfDevices = (hour: Sql, from: Sql, to: Sql): Sql =>
  sql`${hoursOf(hour, from, to)} and ${dayOf(hour)} >= ${dayOf(from)} and ${dayOf(hour)} < ${to}`;
