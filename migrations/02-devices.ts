import { Migration } from '@mikro-orm/migrations';

/** Devices. */
export class Devices extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- Devices of an organization. Records, links and tokens refer to them.
      create table device (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        serial text not null,
        -- The serial in lower case and without dashes: two spellings of one serial are one device.
        serial_key text not null,
        name text,
        slug text not null,
        tags text[] not null default '{}',
        product_id uuid references product,
        lat double precision,
        lon double precision,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        -- Short identifier of the device in documents and requests of an OpenSearch cluster: a query may name many
        -- thousands of devices.
        number int not null generated always as identity,
        unique (organization_id, serial_key),
        unique (organization_id, id),
        check ((lat is null) = (lon is null))
      );

      -- Pages of an organization's devices by name and by slug, without regard to case.
      create index device_name on device (organization_id, lower(name), id);
      create index device_slug on device (organization_id, lower(slug), id);
      -- Pages and counts of a product's devices for one of the organizations that use it.
      create index device_product on device (product_id, organization_id, id);
      -- Changes since a time, for subscribers.
      create index device_changed on device (organization_id, updated_at);
      -- Finds the device of a number in a document.
      create unique index device_number on device (number);

      -- Sets the key under which serials are compared. A stored generated column could not change its expression
      -- without a rewrite of the table.
      create function device_serial_key() returns trigger language plpgsql as $$
      begin
        new.serial_key := lower(replace(new.serial, '-', ''));
        return new;
      end $$;
      create trigger device_serial_key before insert or update of serial on device
        for each row execute function device_serial_key();

      -- See product.organization_id.
      alter table device alter column organization_id set (n_distinct = 100);
    `);
  }
}
