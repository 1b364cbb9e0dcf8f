import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/** What subscribers to deliveries look through once a second. */
export class Live extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    // Deliveries that changed long after they were stored: retries, and what waited. Most are settled within seconds,
    // are found by their identifier, and are not in here, so that they cost nothing more.
    await steps.index({
      name: 'delivery_late',
      table: 'delivery',
      definition: `(hook_id, updated_at) where updated_at - created_at > interval '10 seconds'`,
    });
  }
}
