import sql, { type Sql } from 'sql-template-tag';

/**
 * The variables of the product `p` for an organization: those of today, or, for another than its own, those that it had when
 * it was taken back from the public.
 */
export const variablesFor = (organization: Sql): Sql =>
  sql`(case when p.organization_id = ${organization} then p.variables else coalesce(p.withdrawn -> 'variables', p.variables) end)`;
