import sql, { type Sql } from 'sql-template-tag';

/**
 * SQL expression of the variables of a product `p` for an organization, derived ones included: the current ones or, for
 * another organization than its owner, those at the time when the product stopped being public.
 */
export const variablesFor = (organization: Sql): Sql =>
  sql`(${isCurrent(organization)} then p.variables else p.withdrawn -> 'variables' end || coalesce(${settingsFor(organization)} -> 'derived', '[]'))`;

/** SQL expression of the settings of a product `p` for an organization, like {@link variablesFor}. */
export const settingsFor = (organization: Sql): Sql =>
  sql`(${isCurrent(organization)} then p.settings else coalesce(p.withdrawn -> 'settings', '{}') end)`;

const isCurrent = (organization: Sql): Sql => sql`case when p.withdrawn is null or p.organization_id = ${organization}`;
