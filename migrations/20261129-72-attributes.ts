import { Migration } from '@mikro-orm/migrations';

/** Values that people give devices and sites by name, each with the time from which it holds. */
export class Attributes extends Migration {
  override up(): void {
    this.addSql(`
      create table attribute (
        organization_id uuid not null,
        device_id uuid,
        site_id uuid,
        owner_id uuid generated always as (coalesce(device_id, site_id)) stored,
        name text not null,
        valid_from timestamptz not null,
        -- A number, boolean or text. Null: the attribute has no value from then on.
        value jsonb,
        primary key (owner_id, name, valid_from),
        foreign key (organization_id, device_id) references device (organization_id, id) on delete cascade,
        foreign key (organization_id, site_id) references site (organization_id, id) on delete cascade,
        check (num_nonnulls(device_id, site_id) = 1)
      );
      -- For deletes of devices and sites.
      create index attribute_device on attribute (organization_id, device_id) where device_id is not null;
      create index attribute_site on attribute (organization_id, site_id) where site_id is not null;

      -- See product.organization_id.
      alter table attribute alter column organization_id set (n_distinct = 100);
    `);
  }
}
