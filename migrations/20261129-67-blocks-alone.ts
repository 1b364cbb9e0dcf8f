import { Migration } from '@mikro-orm/migrations';

/** Days whose records are in blocks alone. */
export class BlocksAlone extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- Whether blocks alone hold these records, because their rows are deleted. Rows of such a day arrived later and are
      -- in no block: its records are those of its blocks and its rows.
      alter table record_blocked add column alone boolean not null default false;
      -- Whether all days in blocks alone that have records of the device are noted as stale.
      alter table record_sweep add column is_noted boolean not null default false;
      create index record_blocked_alone on record_blocked (source, day) where alone;
    `);
  }
}
