import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/**
 * Statements of many callers are planned once, for an organization of average size. Where nearly all rows are of one
 * organization, a sample of the table shows no other: the planner then takes a condition on the organization for one that
 * all rows meet, and reads a page of a small one through the primary key, past all rows of the large one. It is told of a
 * hundred organizations instead.
 */
export class Tenants extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    for (const [table, column] of tenants) {
      await steps.run(`alter table ${table} alter column ${column} set (n_distinct = 100)`);
      if (await steps.finds(`select from ${table} limit 1`)) await steps.run(`analyze ${table}`);
    }
  }
}

const tenants = [
  ['team', 'organization_id'],
  ['product', 'organization_id'],
  ['device', 'organization_id'],
  ['application', 'organization_id'],
  ['hook', 'application_id'],
  ['api_token', 'organization_id'],
  ['job', 'organization_id'],
] as const;
