import { Migration } from '@mikro-orm/migrations';

/** Network servers that take commands for their devices, and the roads to devices through them. */
export class NetworkServers extends Migration {
  override up(): void {
    this.addSql(`
      create table network_server (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        kind text not null,
        name text not null,
        address text not null,
        -- Application at the server, by the server's own identifier.
        application text not null,
        -- Encrypted (src/calls/vault.ts).
        api_key text not null,
        -- Whether uplinks named it, and no owner has confirmed it yet.
        proposed boolean not null default false,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        unique (organization_id, id)
      );
      create unique index network_server_application on network_server (organization_id, kind, application)
        where not proposed;
      create unique index network_server_proposal on network_server (organization_id, kind, application, address)
        where proposed;

      -- The last road by which a device was heard through a network server.
      create table device_road (
        device_id uuid primary key,
        organization_id uuid not null,
        kind text not null,
        application text not null,
        -- Name of the device at the server.
        name text not null,
        foreign key (organization_id, device_id) references device (organization_id, id) on delete cascade
      );
      create index device_road_application on device_road (organization_id, kind, application);

      -- See product.organization_id.
      alter table network_server alter column organization_id set (n_distinct = 100);
      alter table device_road alter column organization_id set (n_distinct = 100);
    `);
  }
}
