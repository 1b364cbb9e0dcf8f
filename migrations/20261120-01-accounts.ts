import { Migration } from '@mikro-orm/migrations';

/** Accounts, who belongs to whom, what they own, and the tokens they call with. */
export class Accounts extends Migration {
  override up(): void {
    this.addSql(`
      create table account (
        id uuid primary key,
        type text not null check (type in ('organization', 'user')),
        username text not null unique,
        email text not null,
        name text,
        disabled boolean not null default false,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null
      );
      create unique index account_email_key on account (lower(email));

      create table membership (
        organization_id uuid not null references account on delete cascade,
        user_id uuid not null references account on delete cascade,
        role text not null check (role in ('owner', 'member')),
        created_at timestamptz(3) not null,
        primary key (organization_id, user_id)
      );
      create index membership_user on membership (user_id);

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

      create table product (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        name text not null,
        slug text not null,
        version text not null,
        public boolean not null default false,
        variables jsonb not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        unique (organization_id, id)
      );
      create index product_public on product (id) where public;

      create table device (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        serial text not null,
        -- The serial without its dashes: two spellings of one serial are one device.
        serial_key text not null generated always as (replace(serial, '-', '')) stored,
        name text,
        slug text not null,
        tags text[] not null default '{}',
        product_id uuid references product,
        lat double precision,
        lon double precision,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        unique (organization_id, serial_key),
        unique (organization_id, id),
        check ((lat is null) = (lon is null))
      );
      create index device_product on device (product_id);

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

      -- The organization is part of both references: a link can never join two tenants, not even in a race.
      create table application_device (
        organization_id uuid not null,
        application_id uuid not null,
        device_id uuid not null,
        created_at timestamptz not null default clock_timestamp(),
        primary key (application_id, device_id),
        foreign key (organization_id, application_id) references application (organization_id, id) on delete cascade,
        foreign key (organization_id, device_id) references device (organization_id, id)
      );
      create index application_device_device on application_device (device_id);

      create table team_member (
        organization_id uuid not null,
        team_id uuid not null,
        user_id uuid not null,
        created_at timestamptz not null default clock_timestamp(),
        primary key (team_id, user_id),
        foreign key (organization_id, team_id) references team (organization_id, id) on delete cascade,
        -- A membership that ends takes the places in the organization's teams with it.
        foreign key (organization_id, user_id) references membership on delete cascade
      );
      create index team_member_user on team_member (organization_id, user_id);

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
      create index team_application_application on team_application (application_id);

      create table api_token (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        user_id uuid,
        name text,
        scope text not null check (scope in ('full', 'read', 'ingest')),
        -- SHA-256 of the token; the token itself is stored nowhere.
        hash bytea not null unique,
        prefix text not null,
        created_at timestamptz(3) not null,
        last_used_at timestamptz(3),
        expires_at timestamptz(3),
        revoked_at timestamptz(3),
        -- A member's tokens die with the membership.
        foreign key (organization_id, user_id) references membership on delete cascade
      );
      create index api_token_organization on api_token (organization_id, user_id);
    `);
  }
}
