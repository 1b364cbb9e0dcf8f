import type pg from 'pg';
import type { Sql } from 'sql-template-tag';

/** Reads on a connection of its own; PostgreSQL cancels the statement (57014) after so many milliseconds. */
export const createBoundedRead =
  (pool: pg.Pool) =>
  async (query: Sql, milliseconds: number): Promise<object[]> => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      await client.query(`begin read only; set local statement_timeout = ${Math.round(milliseconds)}`);
      const { rows } = await client.query<object>(query.text, query.values);
      return rows;
    } finally {
      await client.query('rollback').catch((error: Error) => {
        broken = error;
      });
      client.release(broken);
    }
  };
