import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** The time zone in which an organization's days begin, and that in which the blocks of a day, or of all days, were cut. */
export class OrganizationZone extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    for (const table of ['account', 'record_blocked', 'record_block_source'])
      await steps.locked(table, `alter table ${table} add column if not exists time_zone text not null default 'UTC'`);
  }
}
