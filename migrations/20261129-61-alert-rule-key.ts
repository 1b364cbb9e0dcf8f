import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Keys that a tool chooses for the alert rules of an application, so that it finds them again. */
export class AlertRuleKey extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.locked('alert_rule', 'alter table alert_rule add column if not exists external_id text');
    await steps.index({
      name: 'alert_rule_external_id',
      table: 'alert_rule',
      unique: true,
      definition: '(application_id, external_id) where external_id is not null',
    });
  }
}
