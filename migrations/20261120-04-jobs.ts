import { Migration } from '@mikro-orm/migrations';

/** Long work that outlives the call which asked for it. */
export class Jobs extends Migration {
  override up(): void {
    this.addSql(`
      create table job (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        kind text not null,
        state text not null default 'pending' check (state in ('pending', 'running', 'done', 'failed')),
        input jsonb not null,
        -- Where the next step goes on.
        cursor jsonb,
        done bigint not null default 0,
        total bigint,
        changed bigint not null default 0,
        error text,
        locked_until timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null
      );
      create index job_open on job (created_at) where state in ('pending', 'running');
      create index job_organization on job (organization_id);
    `);
  }
}
