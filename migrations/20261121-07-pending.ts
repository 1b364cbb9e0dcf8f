import { Migration } from '@mikro-orm/migrations';

/** What waits is pending: what succeeded, or failed, is not looked for among it. */
export class Pending extends Migration {
  override up(): void {
    this.addSql(`alter table delivery_open add constraint delivery_open_pending check (state = 'pending')`);
  }
}
