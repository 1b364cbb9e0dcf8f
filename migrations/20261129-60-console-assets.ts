import { Migration } from '@mikro-orm/migrations';

/** Files of the console's builds, so that a page of the release before still finds those that it loads later. */
export class ConsoleAssets extends Migration {
  override up(): void {
    this.addSql(`
      create table console_asset (
        -- The name has a hash of the content.
        name text primary key,
        -- Compressed by Brotli.
        content bytea not null,
        -- Last start of a build that has the file.
        build_at timestamptz not null
      );
    `);
  }
}
