import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Values of imported files that do not fit their variables: their number, and by variable. */
export class ImportIgnored extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.locked(
      'file_import',
      `alter table file_import add column if not exists ignored_count bigint,
         add column if not exists ignored jsonb not null default '[]'`,
    );
  }
}
