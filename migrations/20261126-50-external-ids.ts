import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Keys that a tool chooses for products, applications and hooks, so that it finds them again. */
export class ExternalIds extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    for (const table of ['product', 'application', 'hook']) {
      await steps.locked(table, `alter table ${table} add column if not exists external_id text`);
      await steps.index({
        name: `${table}_external_id`,
        table,
        unique: true,
        definition: '(organization_id, external_id) where external_id is not null',
      });
    }
  }
}
