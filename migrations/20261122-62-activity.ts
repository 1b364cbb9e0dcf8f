import { Migration } from '@mikro-orm/migrations';

/** Counts of what ingestion did, by minute, and by hour where they are older than two days. */
export class Activity extends Migration {
  override up(): void {
    this.addSql(`
      create table record_activity (
        organization_id uuid not null references account on delete cascade,
        -- None: of the organization as a whole.
        application_id uuid references application on delete cascade,
        at timestamptz(0) not null,
        kind text not null,
        n bigint not null,
        hourly boolean not null default false,
        unique nulls not distinct (organization_id, application_id, at, kind, hourly)
      ) with (fillfactor = 70);
      comment on column record_activity.at is 'When the minute of storing began, or the hour (hourly).';
      comment on column record_activity.kind is
        'stored, duplicate, decode_partial, decode_failed, or the code of rejected items.';
      create index record_activity_application on record_activity (application_id, at);
      create index record_activity_minute on record_activity (at) where not hourly;
      create index record_activity_age on record_activity (at);
    `);
  }
}
