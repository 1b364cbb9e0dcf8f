import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/** Provisioning tokens: each registers devices of one product, up to a number of them, and ends with the product. */
export class Provisioning extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    const done = `select from pg_attribute where attrelid = 'api_token'::regclass and attname = 'product_id'`;
    if (!(await steps.finds(done))) {
      // Tokens are few, and none is of a product yet.
      await steps.locked(
        'api_token, product',
        `
        alter table api_token
          add column product_id uuid references product on delete cascade,
          add check (product_id is null
                     or (user_id is null and device_id is null and scope = 'ingest' and expires_at is not null));
      `,
      );
    }
    await steps.index({
      name: 'api_token_product',
      table: 'api_token',
      definition: '(product_id) where product_id is not null',
    });
    await steps.run(`
      -- Apart from the token: a registration locks its row, and authentication writes that of the token.
      create table if not exists provisioning (
        token_id uuid primary key references api_token on delete cascade,
        device_limit int not null check (device_limit > 0),
        device_count int not null default 0 check (device_count between 0 and device_limit)
      );
      comment on table provisioning is 'How many devices a provisioning token may register, and has registered.';
    `);
  }
}
