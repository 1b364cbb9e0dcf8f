import { Migration } from '@mikro-orm/migrations';

/** What keeps claims and lists quick however many devices wait, and however long the ledger is. */
export class Ledger extends Migration {
  override up(): void {
    this.addSql(`
      -- Where the walk from lane to lane of an ordered hook goes on: no claim looks at all of thousands.
      alter table hook_state add column lane_after uuid not null default '00000000-0000-0000-0000-000000000000';
      -- With the state in it, deliveries that succeeded are counted without looking at them.
      alter table delivery drop constraint delivery_pkey, add primary key (hook_id, id, done) include (state);
    `);
  }
}
