import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Days whose records are in blocks alone. */
export class BlocksAlone extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    // Whether blocks alone hold these records, because their rows are deleted. Rows of such a day arrived later and are
    // in no block: its records are those of its blocks and its rows.
    await steps.locked(
      'record_blocked',
      'alter table record_blocked add column if not exists alone boolean not null default false',
    );
    // Days in blocks alone with records of the device: none, noted as stale, or waits (only they have records of it).
    // Null until somebody has looked for them.
    await steps.locked('record_sweep', 'alter table record_sweep add column if not exists alone text');
    await steps.index({
      name: 'record_blocked_alone',
      table: 'record_blocked',
      definition: '(source, day) where alone',
    });
  }
}
