import { Migration } from '@mikro-orm/migrations';

/** What subscribers to devices and jobs look through once a second. */
export class Changed extends Migration {
  override up(): void {
    this.addSql(`
      create index device_changed on device (organization_id, updated_at);
      create index job_changed on job (organization_id, updated_at);
    `);
  }
}
