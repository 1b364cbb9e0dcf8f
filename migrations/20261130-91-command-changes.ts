import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Finds the commands of an organization whose state changed lately, for those that subscribe to them. */
export class CommandChanges extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.index({
      name: 'command_state_at',
      table: 'command',
      definition: '(organization_id, state_at)',
    });
  }
}
