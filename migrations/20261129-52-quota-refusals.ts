import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** When a quota last refused records: devices that fell silent since may have sent some. */
export class QuotaRefusals extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.locked('quota', 'alter table quota add column if not exists refused_at timestamptz(3)');
  }
}
