import type { Pool } from 'pg';
import sql from 'sql-template-tag';

/** Sets the mean number of a device's records below which an hour, or a day, gets no rollups by device. */
export const setRollupRule = async (pool: Pool, leastHour: number, leastDay: number): Promise<void> => {
  await pool.query('delete from record_rollup_rule');
  await pool.query(sql`insert into record_rollup_rule (least_hour, least_day) values (${leastHour}, ${leastDay})`);
};
