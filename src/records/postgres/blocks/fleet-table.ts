import sql, { type Sql } from 'sql-template-tag';
import type { FleetPart } from '#records/blocks/fleet-sum.js';

/** SQL condition: the sums of a day of `record_blocked` are missing or differ from its blocks. */
export const isToSum = sql`summed_at is distinct from made_at and summed_at is distinct from '-infinity'`;

/** SQL condition: sums of some days are to be made. */
export const isFleetWanted = sql`exists (select from record_blocked where ${isToSum})`;

/**
 * SQL statement: deletes the sums of all devices of days, and of the months that may have a part of them.
 * @param days selects `source` and `day`, a date
 */
export const deleteFleet = (days: Sql): Sql => sql`
  delete from record_fleet_sum f using (${days}) d
   where f.source = d.source
     and (f.day = d.day and f.level in ('h', 'd') or f.level = 'm' and f.day > d.day - 33 and f.day <= d.day + 1)`;

/** SQL statement: deletes the sums of a month, which is given as the days since 1970 of its first one. */
export const deleteMonth = (source: number, first: number): Sql => sql`
  delete from record_fleet_sum where source = ${source} and level = 'm' and day = 'epoch'::date + ${first}::int`;

/** Returns the part of a value of type "char". */
export const partOf = (code: number): FleetPart => String.fromCharCode(code) as FleetPart;
