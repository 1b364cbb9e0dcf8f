import sql, { type Sql } from 'sql-template-tag';

/** SQL expression of the day (UTC) of a time, as in the index `record_rollup_device`. */
export const dayOf = (time: Sql): Sql => sql`date_bin('1 day', ${time}, timestamptz '1970-01-01 00:00:00+00')`;

/** SQL expression of the hour of a time. */
export const hourOf = (time: Sql): Sql => sql`date_bin('1 hour', ${time}, timestamptz '1970-01-01 00:00:00+00')`;

/** SQL condition: an hour lies between two times, the second of which is excluded. */
export const hoursOf = (hour: Sql, from: Sql, to: Sql): Sql => sql`${hour} >= ${from} and ${hour} < ${to}`;

/** Extends {@link hoursOf} by the days, by which the index `record_rollup_device` finds the hours of some devices. */
export const hoursOfDevices = (hour: Sql, from: Sql, to: Sql): Sql =>
  sql`${hoursOf(hour, from, to)} and ${dayOf(hour)} >= ${dayOf(from)} and ${dayOf(hour)} < ${to}`;
