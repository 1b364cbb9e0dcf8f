import { Migration } from '@mikro-orm/migrations';

/** Products, and the slots in a record that hold the values of their variables. */
export class Products extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- Kinds of devices, with the variables that their records have.
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
        -- The product as it was when it stopped being public. Other organizations whose devices use it see this state.
        withdrawn jsonb,
        unique (organization_id, id)
      );

      -- The position of a variable of one type in record.numbers or record.texts. A slot is never given to another
      -- variable: a value that was stored under an earlier type stays in the slot of that type.
      create table product_slot (
        product_id uuid not null references product on delete cascade,
        name text not null,
        type text not null,
        kind text not null check (kind in ('number', 'text')),
        slot int not null check (slot > 0),
        primary key (product_id, name, type),
        unique (product_id, kind, slot)
      );

      -- Pages of public products.
      create index product_public on product (id) where public;

      -- One generic plan serves organizations of all sizes. If one organization owns nearly all rows, a sample of the
      -- table contains no other organization, and the planner assumes that every row meets a condition on the
      -- organization. For a small organization, PostgreSQL then reads past all rows of the large one. A fixed estimate
      -- prevents that, here and in other tables that are read by owner.
      alter table product alter column organization_id set (n_distinct = 100);
    `);
  }
}
