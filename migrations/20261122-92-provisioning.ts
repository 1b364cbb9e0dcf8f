import { Migration } from '@mikro-orm/migrations';

/** Provisioning tokens: each registers devices of one product, up to a number of them, and ends with the product. */
export class Provisioning extends Migration {
  override up(): void {
    this.addSql(`
      alter table api_token
        add column product_id uuid references product on delete cascade,
        add check (product_id is null
                   or (user_id is null and device_id is null and scope = 'ingest' and expires_at is not null));
      create index api_token_product on api_token (product_id) where product_id is not null;

      -- Apart from the token: a registration locks its row, and authentication writes that of the token.
      create table provisioning (
        token_id uuid primary key references api_token on delete cascade,
        device_limit int not null check (device_limit > 0),
        device_count int not null default 0 check (device_count between 0 and device_limit)
      );
      comment on table provisioning is 'How many devices a provisioning token may register, and has registered.';
    `);
  }
}
