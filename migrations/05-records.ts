import { Migration } from '@mikro-orm/migrations';

/** Records by time, the catalogue of their fields, deduplication, retention, and counts of what ingestion did. */
export class Records extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- Numbers records in the order of storing.
      create sequence record_seq;

      -- Records, by week or year of their time. They have no foreign keys, which would cost each stored row too much.
      -- Every reader reaches records through their devices, so those of a deleted device are invisible at once; a
      -- background task deletes them (record_sweep).
      create table record (
        id uuid not null,
        seq bigint not null default nextval('record_seq'),
        organization_id uuid not null,
        device_id uuid not null,
        -- The product that the device had when the record was stored.
        product_id uuid,
        ts timestamptz not null,
        metadata jsonb not null,
        data jsonb not null,
        frame jsonb,
        -- Fields that the device sent beside the frame, and whether they override decoded fields: {wins, data}.
        given jsonb,
        -- Values of numeric and BOOL (0, 1) variables, and of TXT variables, by product_slot (from 1).
        numbers float8[],
        texts text[],
        -- Variables that the record has as arrays: the name, and the array of values in the type of the variable.
        many jsonb,
        -- Paths (data.name) whose value does not fit its variable. They are kept in data, and are not searchable.
        ignored text[]
      ) partition by range (ts);

      -- Fields that no product declares, with the kind of the first value that was seen.
      create table record_field (
        organization_id uuid not null references account on delete cascade,
        path text not null,
        keys text[] not null,
        kind text not null check (kind in ('number', 'boolean', 'text')),
        multi boolean not null default false,
        primary key (organization_id, path)
      );

      -- Deduplication keys of records, for 48 hours.
      create table record_key (
        device_id uuid not null,
        key text not null,
        record_id uuid not null,
        stored_at timestamptz(3) not null,
        primary key (device_id, key)
      );

      -- Answers of calls with an Idempotency-Key, for 24 hours.
      create table idempotency_key (
        organization_id uuid not null references account on delete cascade,
        path text not null,
        key text not null,
        body_hash bytea not null,
        answer jsonb,
        created_at timestamptz(3) not null,
        primary key (organization_id, path, key)
      );

      -- Deleted devices whose records are still to be deleted.
      create table record_sweep (
        device_id uuid primary key,
        deleted_at timestamptz(3) not null
      );

      -- Retention of records. The most specific row applies. Without a row, or with null, records are kept for ever.
      create table record_retention (
        organization_id uuid not null references account on delete cascade,
        product_id uuid references product on delete cascade,
        keep interval,
        unique nulls not distinct (organization_id, product_id)
      );

      -- Counts of stored and rejected records, by minute, and by hour once they are older than two days.
      create table record_activity (
        organization_id uuid not null references account on delete cascade,
        -- Null stands for the whole organization.
        application_id uuid references application on delete cascade,
        -- Start of the minute, or of the hour, in which the records were stored.
        at timestamptz(0) not null,
        -- stored, duplicate, decode_partial, decode_failed, or the code of rejected items.
        kind text not null,
        n bigint not null,
        hourly boolean not null default false,
        unique nulls not distinct (organization_id, application_id, at, kind, hourly)
      ) with (fillfactor = 70);

      -- Scrolls of Elasticsearch clients. The identifier of a scroll stays the same, so its position is stored.
      create table scroll (
        id uuid primary key,
        organization_id uuid not null references account on delete cascade,
        application_id uuid not null references application on delete cascade,
        -- The query as JSON, without aggregations. No two records share a value of the last sort key.
        query text not null,
        -- Number of sort values in each hit of the response.
        shown int not null,
        total text,
        -- JSON: the sort values of the last hit that was returned.
        position text,
        -- Number of pages that were returned. A call that moves the position also states the page that it has read.
        page int not null default 0,
        expires_at timestamptz(3) not null
      );

      -- Finds a record by its identifier.
      create index record_id on record (id);
      -- The records of a device, and of a product, by time.
      create index record_device on record (device_id, ts, seq);
      create index record_product on record (organization_id, product_id, ts, seq);
      -- Keys that have expired.
      create index record_key_age on record_key using brin (stored_at);
      create index idempotency_key_age on idempotency_key (created_at);
      -- The counts of an application.
      create index record_activity_application on record_activity (application_id, at);
      -- Minutes that upkeep has yet to sum up by hour, and counts that have expired.
      create index record_activity_minute on record_activity (at) where not hourly;
      create index record_activity_age on record_activity (at);
      -- Scrolls of an organization (their number is limited), of an application, and expired ones.
      create index scroll_organization on scroll (organization_id, expires_at);
      create index scroll_application on scroll (application_id);
      create index scroll_expiry on scroll (expires_at);

      -- Notes a deleted device for the background task that deletes its records.
      create function record_sweep_device() returns trigger language plpgsql as $$
      begin
        insert into record_sweep values (old.id, clock_timestamp()) on conflict do nothing;
        return null;
      end $$;
      create trigger device_record_sweep after delete on device for each row execute function record_sweep_device();

      -- Creates the partition that holds a time, unless it exists. A partition covers one week within the last 90 days,
      -- and one year before that, and ends where its neighbours begin. Reads and writes continue while PostgreSQL
      -- attaches the partition.
      create function record_partition(moment timestamptz, today timestamptz) returns void
      language plpgsql set timezone = 'UTC' as $$
      declare
        unit text := case when moment < today - interval '90 days' then 'year' else 'week' end;
        lower timestamptz := date_trunc(unit, moment);
        upper timestamptz := date_trunc(unit, moment) + ('1 ' || unit)::interval;
        name text;
        part record;
      begin
        perform pg_advisory_xact_lock(hashtext('record_partition'));
        for part in
          select bound[1]::timestamptz as lower, bound[2]::timestamptz as upper
          from pg_inherits join pg_class on pg_class.oid = inhrelid,
            regexp_match(pg_get_expr(relpartbound, inhrelid), 'FROM \(''(.+)''\) TO \(''(.+)''\)') bound
          where inhparent = 'record'::regclass
        loop
          if moment >= part.lower and moment < part.upper then return; end if;
          if part.upper <= moment then lower := greatest(lower, part.upper); end if;
          if part.lower > moment then upper := least(upper, part.lower); end if;
        end loop;
        name := 'record_' || to_char(lower, 'YYYYMMDD');
        execute format('create table %I (like record including all)', name);
        execute format('alter table record attach partition %I for values from (%L) to (%L)', name, lower, upper);
      end $$;

      -- Drops the partitions that end at or before a time, or only those of them that are empty. Returns their number.
      -- Gives up when another session reads or writes for more than two seconds; the caller then calls again.
      create function record_retire(moment timestamptz, only_empty boolean) returns int
      language plpgsql set timezone = 'UTC' set lock_timeout = '2s' as $$
      declare
        part record;
        holds_any boolean;
        dropped int := 0;
      begin
        perform pg_advisory_xact_lock(hashtext('record_partition'));
        for part in
          select relname, bound[1]::timestamptz as upper
          from pg_inherits join pg_class on pg_class.oid = inhrelid,
            regexp_match(pg_get_expr(relpartbound, inhrelid), 'TO \(''(.+)''\)') bound
          where inhparent = 'record'::regclass and bound[1]::timestamptz <= moment
        loop
          execute format('select exists (select from %I)', part.relname) into holds_any;
          continue when only_empty and holds_any;
          lock table only record in access exclusive mode;
          execute format('select exists (select from %I)', part.relname) into holds_any;
          continue when only_empty and holds_any;
          execute format('drop table %I', part.relname);
          dropped := dropped + 1;
        end loop;
        return dropped;
      end $$;

      -- The partitions of the last 90 days and the next four weeks.
      select record_partition(moment, now())
      from generate_series(now() - interval '90 days', now() + interval '28 days', interval '7 days') moment;
    `);
  }
}
