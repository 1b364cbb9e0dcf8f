import { Migration } from '@mikro-orm/migrations';

/** What finds the deliveries of an application that failed, among all that succeeded. */
export class Outcome extends Migration {
  override up(): void {
    // Few fail: most deliveries cost this index nothing.
    this.addSql(
      `create index delivery_application_failed on delivery_done (application_id, id) where state <> 'succeeded'`,
    );
  }
}
