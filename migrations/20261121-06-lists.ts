import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/** What finds and counts deliveries, by device and of a whole application, however many there are. */
export class Lists extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    // With the state in it, those of a device that succeeded are counted without looking at them.
    await steps.index({
      name: 'delivery_device',
      table: 'delivery_done',
      definition: '(hook_id, device_id, id) include (state)',
    });
    // Few fail: most deliveries cost this index nothing.
    await steps.index({
      name: 'delivery_device_failed',
      table: 'delivery_done',
      definition: `(hook_id, device_id, id) where state <> 'succeeded'`,
    });
    // The newest of all hooks of an application.
    await steps.index({ name: 'delivery_application', table: 'delivery', definition: '(application_id, id)' });
  }
}
