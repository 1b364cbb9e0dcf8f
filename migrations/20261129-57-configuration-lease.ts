import { Migration } from '@mikro-orm/migrations';

/** Leases on the configuration of organizations. An organization's row stays after the lease has expired. */
export class ConfigurationLease extends Migration {
  override up(): void {
    this.addSql(`
      create table configuration_lease (
        organization_id uuid primary key references account on delete cascade,
        lease_id uuid not null,
        expires_at timestamptz(3) not null
      )`);
  }
}
