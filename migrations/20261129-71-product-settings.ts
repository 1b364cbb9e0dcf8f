import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Settings of a product's variables by their names: counters, words for values, decimal places. */
export class ProductSettings extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.locked('product', `alter table product add column if not exists settings jsonb not null default '{}'`);
  }
}
