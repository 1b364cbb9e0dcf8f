import { Migration } from '@mikro-orm/migrations';

/** Tokens that authenticate calls. */
export class Tokens extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- Tokens of organizations, members, devices (which post records of one device) and products (which register
      -- devices). A token ends with its member, device or product.
      create table api_token (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        user_id uuid,
        name text,
        scope text not null check (scope in ('full', 'read', 'ingest')),
        -- SHA-256 of the token. The token itself is stored nowhere.
        hash bytea not null unique,
        prefix text not null,
        created_at timestamptz(3) not null,
        last_used_at timestamptz(3),
        expires_at timestamptz(3),
        revoked_at timestamptz(3),
        device_id uuid,
        product_id uuid references product on delete cascade,
        foreign key (organization_id, user_id) references membership on delete cascade,
        foreign key (organization_id, device_id) references device (organization_id, id) on delete cascade,
        check (device_id is null or (user_id is null and scope = 'ingest')),
        check (product_id is null
               or (user_id is null and device_id is null and scope = 'ingest' and expires_at is not null))
      );

      -- Number of devices that a provisioning token may register, and has registered. A separate table, because a
      -- registration locks this row while authentication writes the row in api_token.
      create table provisioning (
        token_id uuid primary key references api_token on delete cascade,
        device_limit int not null check (device_limit > 0),
        device_count int not null default 0 check (device_count between 0 and device_limit)
      );

      -- The tokens of an organization, and of each of its members.
      create index api_token_organization on api_token (organization_id, user_id);
      -- The tokens of a device, and of a product.
      create index api_token_device on api_token (organization_id, device_id) where device_id is not null;
      create index api_token_product on api_token (product_id) where product_id is not null;

      -- See product.organization_id.
      alter table api_token alter column organization_id set (n_distinct = 100);
    `);
  }
}
