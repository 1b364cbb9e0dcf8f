import { Migration } from '@mikro-orm/migrations';

/** Sites in a tree, and the sites of devices over time. */
export class Sites extends Migration {
  override up(): void {
    this.addSql(`
      create table site (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        parent_id uuid,
        -- The site with those above it, the root first. A transaction that changes the tree holds the lock of
        -- site-tree.ts: two at once could make a cycle, or one could miss a site that the other puts below.
        path uuid[] not null,
        name text not null,
        kind text,
        lat double precision,
        lon double precision,
        time_zone text,
        external_id text,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        unique (organization_id, id),
        -- Deferred, because a call may put a site before the one above it.
        foreign key (organization_id, parent_id) references site (organization_id, id) deferrable initially deferred,
        constraint site_depth check (cardinality(path) between 1 and 8),
        constraint site_path check (
          array_position(path, id) = cardinality(path) and parent_id is not distinct from path[cardinality(path) - 1]),
        check ((lat is null) = (lon is null))
      );

      -- The sites of a device, one after the other. A transaction that changes them locks the device.
      create table device_site (
        organization_id uuid not null,
        device_id uuid not null,
        site_id uuid not null,
        started_at timestamptz(3) not null,
        -- Excluded. Null while the device is there.
        ended_at timestamptz(3),
        primary key (device_id, started_at),
        foreign key (organization_id, device_id) references device (organization_id, id) on delete cascade,
        foreign key (organization_id, site_id) references site (organization_id, id) on delete cascade,
        check (ended_at > started_at)
      );

      -- The sites below one, itself included. Without a list of pending entries, which every lookup would read.
      create index site_below on site using gin (path) with (fastupdate = off);
      create index site_parent on site (organization_id, parent_id);
      create unique index site_external_id on site (organization_id, external_id) where external_id is not null;
      -- The present site of a device, and the present devices of a site.
      create unique index device_site_present on device_site (device_id) where ended_at is null;
      create index device_site_here on device_site (site_id, device_id) where ended_at is null;
      -- The devices of a site over time.
      create index device_site_history on device_site (organization_id, site_id, started_at);

      -- See product.organization_id.
      alter table site alter column organization_id set (n_distinct = 100);
      alter table device_site alter column organization_id set (n_distinct = 100);
    `);
  }
}
