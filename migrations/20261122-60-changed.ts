import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/** What subscribers to devices and jobs look through once a second. */
export class Changed extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.index({ name: 'device_changed', table: 'device', definition: '(organization_id, updated_at)' });
    await steps.index({ name: 'job_changed', table: 'job', definition: '(organization_id, updated_at)' });
  }
}
