import { Migration } from '@mikro-orm/migrations';

/** Files of devices and of past records that are to be taken in. */
export class Import extends Migration {
  override up(): void {
    this.addSql(`
      create table file_import (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        -- The member who sent it; none: the organization itself.
        user_id uuid,
        kind text not null check (kind in ('devices', 'records')),
        format text not null check (format in ('csv', 'ndjson', 'parquet')),
        options jsonb not null,
        state text not null check (state in ('uploading', 'checking', 'checked', 'applying', 'done', 'failed')),
        job_id uuid references job,
        bytes bigint not null default 0,
        -- What the check, or after it the import, has done so far.
        lines bigint not null default 0,
        created bigint not null default 0,
        updated bigint not null default 0,
        unchanged bigint not null default 0,
        rejected bigint not null default 0,
        fault_count bigint not null default 0,
        -- The first of the faults.
        faults jsonb not null default '[]',
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null
      );
      create index file_import_organization on file_import (organization_id);
      create index file_import_age on file_import (updated_at);

      -- The bytes of a file, in parts of 256 KiB; of a Parquet file that was read also its rows, as NDJSON.
      create table file_import_part (
        import_id uuid not null references file_import on delete cascade,
        content text not null check (content in ('file', 'rows')),
        number integer not null,
        bytes bytea not null,
        primary key (import_id, content, number)
      );
      -- Text compresses badly enough, and is read by whole parts.
      alter table file_import_part alter column bytes set storage external;

      -- Serials that stand in a file, to find those that come twice.
      create table file_import_serial (
        import_id uuid not null references file_import on delete cascade,
        serial_key text not null,
        line bigint not null,
        primary key (import_id, serial_key)
      );
    `);
  }
}
