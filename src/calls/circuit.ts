import sql, { type Sql } from 'sql-template-tag';

/** Number of consecutive failed calls after which the circuit of a receiver opens. */
export const circuitThreshold = 10;

/** Returns the SQL interval for which a circuit opens, given how often it opened since the last success. */
export const circuitTime = (openings: Sql): Sql =>
  sql`least(30 * 2 ^ least(${openings}, 10), 900) * interval '1 second'`;
