import sql, { type Sql } from 'sql-template-tag';

/**
 * SQL expression of the square of a double. PostgreSQL raises an error if a product is too small for a double; this
 * yields 0, as other systems do.
 */
export const squared = (number: Sql): Sql =>
  sql`(case when abs(${number}) < 1e-161 then 0 else ${number} * ${number} end)`;
