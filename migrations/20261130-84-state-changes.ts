import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Finds the devices whose desired state changed lately, for those that listen. */
export class StateChanges extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.index({ name: 'device_state_desired_at', table: 'device_state', definition: '(desired_at)' });
  }
}
