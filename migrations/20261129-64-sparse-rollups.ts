import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Hours and days of products whose devices send little have no rollups by device. */
export class SparseRollups extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    // In the row of slot 0: whether the hour's devices have rows in record_rollup. If not, searches read its records.
    await steps.locked(
      'record_total',
      'alter table record_total add column if not exists apart boolean not null default true',
    );
    // Whether the day's devices have rows in record_value and record_digest.
    await steps.locked(
      'record_summary',
      'alter table record_summary add column if not exists apart boolean not null default true',
    );
    await steps.index({
      name: 'record_total_together',
      table: 'record_total',
      definition: '(organization_id, product_id, hour) where not apart',
    });
    // Processes of the release before take a missing row for missing records. So a database that they may use leaves
    // out nothing; a new one has no row here.
    await steps.run(`
      create table if not exists record_rollup_rule (
        -- The mean number of a device's records below which an hour, or a day, has no rollups by device, instead of the
        -- usual one. 0 leaves out nothing.
        least_hour int not null,
        least_day int not null
      );
      insert into record_rollup_rule
      select 0, 0 where exists (select from account) and not exists (select from record_rollup_rule)`);
  }
}
