import sql, { type Sql } from 'sql-template-tag';

/** Returns texts as one parameter of a statement, of type `text[]`. */
export const textArray = (values: readonly string[]): Sql =>
  sql`array(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`;
