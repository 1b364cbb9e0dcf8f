import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/** The devices of an application in the order of their links: a page reads its own, where it read and sorted all of them. */
export class Links extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.index({
      name: 'application_device_order',
      table: 'application_device',
      definition: '(application_id, created_at, device_id)',
    });
  }
}
