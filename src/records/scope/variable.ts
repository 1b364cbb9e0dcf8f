import sql, { type Sql } from 'sql-template-tag';

/**
 * SQL expression of the variables of a product `p` for an organization: the current ones or, for another organization
 * than its owner, those at the time when the product stopped being public.
 */
export const variablesFor = (organization: Sql): Sql =>
  sql`(case when p.organization_id = ${organization} then p.variables else coalesce(p.withdrawn -> 'variables', p.variables) end)`;

/** SQL expression of the settings of a product `p` for an organization, like {@link variablesFor}. */
export const settingsFor = (organization: Sql): Sql =>
  sql`(case when p.withdrawn is null or p.organization_id = ${organization} then p.settings else coalesce(p.withdrawn -> 'settings', '{}') end)`;
