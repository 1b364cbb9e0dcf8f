import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/** What finds the deliveries of an application that failed, among all that succeeded. */
export class Outcome extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    // Few fail: most deliveries cost this index nothing.
    await steps.index({
      name: 'delivery_application_failed',
      table: 'delivery_done',
      definition: `(application_id, id) where state <> 'succeeded'`,
    });
  }
}
