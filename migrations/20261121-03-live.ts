import { Migration } from '@mikro-orm/migrations';

/** What subscribers to deliveries look through once a second. */
export class Live extends Migration {
  override up(): void {
    this.addSql(`
      -- Deliveries that changed long after they were stored: retries, and what waited. Most are settled within seconds,
      -- are found by their identifier, and are not in here, so that they cost nothing more.
      create index delivery_late on delivery (hook_id, updated_at) where updated_at - created_at > interval '10 seconds';
    `);
  }
}
