import sql, { type Sql } from 'sql-template-tag';

/** The square of a double. PostgreSQL refuses a product that is too small for one; here it is 0, as everywhere else. */
export const squared = (number: Sql): Sql =>
  sql`(case when abs(${number}) < 1e-161 then 0 else ${number} * ${number} end)`;
