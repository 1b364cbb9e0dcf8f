import { Migration } from '@mikro-orm/migrations';

/** Applications with their devices, and the teams that may use them. */
export class Applications extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- Selections of devices that are searched, watched and forwarded together.
      create table application (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        name text not null,
        slug text not null,
        description text,
        has_dashboard boolean not null default false,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        unique (organization_id, id)
      );

      -- Links of devices to applications. The organization is part of both references: no link joins two tenants, not
      -- even in a race.
      create table application_device (
        organization_id uuid not null,
        application_id uuid not null,
        device_id uuid not null,
        created_at timestamptz not null default clock_timestamp(),
        primary key (application_id, device_id),
        foreign key (organization_id, application_id) references application (organization_id, id) on delete cascade,
        foreign key (organization_id, device_id) references device (organization_id, id)
      );

      -- Groups of members of an organization.
      create table team (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        name text not null,
        slug text not null,
        description text,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        unique (organization_id, id)
      );

      -- Members of teams. A membership that ends removes the user from the organization's teams.
      create table team_member (
        organization_id uuid not null,
        team_id uuid not null,
        user_id uuid not null,
        created_at timestamptz not null default clock_timestamp(),
        primary key (team_id, user_id),
        foreign key (organization_id, team_id) references team (organization_id, id) on delete cascade,
        foreign key (organization_id, user_id) references membership on delete cascade
      );

      -- Applications that the members of a team may read, or change.
      create table team_application (
        organization_id uuid not null,
        team_id uuid not null,
        application_id uuid not null,
        permission text not null check (permission in ('read', 'write')),
        created_at timestamptz not null default clock_timestamp(),
        primary key (team_id, application_id),
        foreign key (organization_id, team_id) references team (organization_id, id) on delete cascade,
        foreign key (organization_id, application_id) references application (organization_id, id) on delete cascade
      );

      -- The applications of a device.
      create index application_device_device on application_device (device_id);
      -- Pages of an application's devices, in the order of their links.
      create index application_device_order on application_device (application_id, created_at, device_id);
      -- The teams of a user.
      create index team_member_user on team_member (organization_id, user_id);
      -- The teams of an application.
      create index team_application_application on team_application (application_id);

      -- See product.organization_id.
      alter table application alter column organization_id set (n_distinct = 100);
      alter table team alter column organization_id set (n_distinct = 100);
    `);
  }
}
