import { Migration } from '@mikro-orm/migrations';

/** Names are sorted without regard to case: the long lists are read in that order. */
export class Names extends Migration {
  override up(): void {
    this.addSql(`
      create index device_name on device (organization_id, lower(name), id);
      create index device_slug on device (organization_id, lower(slug), id);
      create index account_name on account (lower(name), id) where type = 'user';
    `);
  }
}
