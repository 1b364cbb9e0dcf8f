import { Migration } from '@mikro-orm/migrations';

/** Organizations and users, and the users' memberships. */
export class Accounts extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- Organizations, which own everything else, and users.
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

      -- Users in the organizations that they work for.
      create table membership (
        organization_id uuid not null references account on delete cascade,
        user_id uuid not null references account on delete cascade,
        role text not null check (role in ('owner', 'member')),
        created_at timestamptz(3) not null,
        primary key (organization_id, user_id)
      );

      -- An address has one account, regardless of case.
      create unique index account_email_key on account (lower(email));
      -- Pages of users, sorted by name without regard to case.
      create index account_name on account (lower(name), id) where type = 'user';
      -- The organizations of a user.
      create index membership_user on membership (user_id);
    `);
  }
}
