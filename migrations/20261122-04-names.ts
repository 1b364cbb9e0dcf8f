import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/** Names are sorted without regard to case: the long lists are read in that order. */
export class Names extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.index({ name: 'device_name', table: 'device', definition: '(organization_id, lower(name), id)' });
    await steps.index({ name: 'device_slug', table: 'device', definition: '(organization_id, lower(slug), id)' });
    await steps.index({ name: 'account_name', table: 'account', definition: `(lower(name), id) where type = 'user'` });
  }
}
