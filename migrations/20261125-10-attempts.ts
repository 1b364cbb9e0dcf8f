import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/**
 * Counts the claims of a job's step, so that one that ends its process is not tried for ever; jobs that do not wait for each
 * other; and how much an organization's files take.
 */
export class Attempts extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.locked(
      'job',
      `alter table job add column if not exists attempts int not null default 0,
         add column if not exists claim uuid,
         add column if not exists lane text not null default 'main'`,
    );
    await steps.locked(
      'file_import',
      `alter table file_import add column if not exists unpacked bigint not null default 0,
         add column if not exists token_id uuid`,
    );
    await steps.run(`
      comment on column job.attempts is 'Claims since a step last came to its end.';
      comment on column job.claim is 'Whose claim the job is; each claim has another.';
      comment on column job.lane is 'Jobs of one lane do not wait for those of another.';
      comment on column file_import.unpacked is 'Bytes of the rows that were read from a Parquet file.';
      comment on column file_import.token_id is 'Of the call that sent or applied it.';
      -- A row of its own: the import is locked while a step works on it.
      create table if not exists file_import_removed (
        import_id uuid primary key references file_import on delete cascade,
        at timestamptz(3) not null
      )`);
  }
}
