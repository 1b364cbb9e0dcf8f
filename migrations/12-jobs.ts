import { Migration } from '@mikro-orm/migrations';

/** Work that outlives the call that asked for it, and files of devices and records to import. */
export class Jobs extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- Jobs, which any process claims and does step by step.
      create table job (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        kind text not null,
        state text not null default 'pending' check (state in ('pending', 'running', 'done', 'failed')),
        input jsonb not null,
        -- Position at which the next step begins.
        cursor jsonb,
        done bigint not null default 0,
        total bigint,
        changed bigint not null default 0,
        error text,
        locked_until timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        -- Number of claims since a step last ended, so that a step that crashes its process is not repeated for ever.
        attempts int not null default 0,
        -- Identifier of the current claim.
        claim uuid,
        -- Jobs of one lane do not wait for those of another.
        lane text not null default 'main'
      );

      -- Uploaded files, and the progress of their check and of their import.
      create table file_import (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        -- The member who sent the file. Null stands for the organization itself.
        user_id uuid,
        kind text not null check (kind in ('devices', 'records')),
        format text not null check (format in ('csv', 'ndjson', 'parquet')),
        options jsonb not null,
        state text not null check (state in ('uploading', 'checking', 'checked', 'applying', 'done', 'failed')),
        job_id uuid references job,
        bytes bigint not null default 0,
        -- Counts of the check, then of the import.
        lines bigint not null default 0,
        created bigint not null default 0,
        updated bigint not null default 0,
        unchanged bigint not null default 0,
        rejected bigint not null default 0,
        fault_count bigint not null default 0,
        -- The first faults that were found.
        faults jsonb not null default '[]',
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        -- Bytes of the rows that were read from a Parquet file.
        unpacked bigint not null default 0,
        -- Token of the call that sent or applied the file.
        token_id uuid
      );

      -- The bytes of a file, in parts of 256 KiB; for a Parquet file also its rows, as NDJSON.
      create table file_import_part (
        import_id uuid not null references file_import on delete cascade,
        content text not null check (content in ('file', 'rows')),
        number integer not null,
        bytes bytea not null,
        primary key (import_id, content, number)
      );
      -- Readers fetch whole parts, and compression in PostgreSQL saves little.
      alter table file_import_part alter column bytes set storage external;

      -- Serials of a file, to find duplicates.
      create table file_import_serial (
        import_id uuid not null references file_import on delete cascade,
        serial_key text not null,
        line bigint not null,
        primary key (import_id, serial_key)
      );

      -- Imports that a call removed. A separate table, because a running step holds a lock on the row of its import.
      create table file_import_removed (
        import_id uuid primary key references file_import on delete cascade,
        at timestamptz(3) not null
      );

      -- The jobs of an organization.
      create index job_organization on job (organization_id);
      -- Open jobs: claims take turns among organizations.
      create index job_turn on job (organization_id, created_at) where state in ('pending', 'running');
      -- Changes since a time, for subscribers.
      create index job_changed on job (organization_id, updated_at);
      -- The imports of an organization, and old ones.
      create index file_import_organization on file_import (organization_id);
      create index file_import_age on file_import (updated_at);

      -- See product.organization_id.
      alter table job alter column organization_id set (n_distinct = 100);
    `);
  }
}
