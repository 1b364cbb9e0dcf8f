import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/** What keeps claims and lists quick however many devices wait, and however long the ledger is. */
export class Ledger extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    // Where the walk from lane to lane of an ordered hook goes on: no claim looks at all of thousands.
    await steps.locked(
      'hook_state',
      `alter table hook_state add column if not exists
         lane_after uuid not null default '00000000-0000-0000-0000-000000000000'`,
    );
    // With the state in it, deliveries that succeeded are counted without looking at them.
    await steps.primaryKey('delivery', '(hook_id, id, done) include (state)');
  }
}
