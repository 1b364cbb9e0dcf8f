import { Migration } from '@mikro-orm/migrations';

/** Records by time, the typed form of their values, the catalogue of their fields, and what keeps a call safe to repeat. */
export class Records extends Migration {
  override up(): void {
    this.addSql(`
      create sequence record_seq;

      -- No foreign keys: a record per row of a fleet's stream cannot afford them. What belongs to a deleted device is
      -- unreachable at once (everything reads records through their devices) and swept afterwards (record_sweep).
      create table record (
        id uuid not null,
        seq bigint not null default nextval('record_seq'),
        organization_id uuid not null,
        device_id uuid not null,
        product_id uuid,
        ts timestamptz not null,
        metadata jsonb not null,
        data jsonb not null,
        frame jsonb,
        given jsonb,
        numbers float8[],
        texts text[],
        many jsonb,
        ignored text[]
      ) partition by range (ts);
      comment on column record.seq is 'Storing order.';
      comment on column record.product_id is 'Product of the device when the record was stored.';
      comment on column record.given is 'Fields that came beside the frame: {wins, data}; wins says whose value counts.';
      comment on column record.numbers is 'Values of numeric and BOOL (0, 1) variables by product_slot; 1-based.';
      comment on column record.texts is 'Values of TXT variables by product_slot; 1-based.';
      comment on column record.many is 'Variables that came as arrays: name to array of values in their own type.';
      comment on column record.ignored is 'Paths (data.name) whose value does not fit its variable: in data, not searchable.';
      create index record_id on record (id);
      create index record_device on record (device_id, ts, seq);
      create index record_product on record (organization_id, product_id, ts, seq);

      -- A place per (variable, type), never given to another: a value stored under an older type stays in the older place.
      create table product_slot (
        product_id uuid not null references product on delete cascade,
        name text not null,
        type text not null,
        kind text not null check (kind in ('number', 'text')),
        slot int not null check (slot > 0),
        primary key (product_id, name, type),
        unique (product_id, kind, slot)
      );

      create table record_field (
        organization_id uuid not null references account on delete cascade,
        path text not null,
        keys text[] not null,
        kind text not null check (kind in ('number', 'boolean', 'text')),
        multi boolean not null default false,
        primary key (organization_id, path)
      );

      create table record_key (
        device_id uuid not null,
        key text not null,
        record_id uuid not null,
        stored_at timestamptz(3) not null,
        primary key (device_id, key)
      );
      create index record_key_age on record_key using brin (stored_at);

      create table idempotency_key (
        organization_id uuid not null references account on delete cascade,
        path text not null,
        key text not null,
        body_hash bytea not null,
        answer jsonb,
        created_at timestamptz(3) not null,
        primary key (organization_id, path, key)
      );
      create index idempotency_key_age on idempotency_key (created_at);

      -- Hours that got records since their rollup was made. A storing transaction only ever appends here: an upsert would make
      -- all of them wait for each other.
      create table record_dirty (
        id bigint generated always as identity primary key,
        organization_id uuid not null,
        product_id uuid,
        hour timestamptz not null
      );

      -- Devices that are gone and whose records are still to be deleted.
      create table record_sweep (
        device_id uuid primary key,
        deleted_at timestamptz(3) not null
      );
      create function record_sweep_device() returns trigger language plpgsql as $$
      begin
        insert into record_sweep values (old.id, clock_timestamp()) on conflict do nothing;
        return null;
      end $$;
      create trigger device_record_sweep after delete on device for each row execute function record_sweep_device();

      -- Makes the partition that holds a moment, if there is none: the week from 90 days back on, the year before that,
      -- cut where neighbours begin. Attaching (instead of creating in place) lets readers and writers go on meanwhile.
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
            regexp_match(pg_get_expr(relpartbound, inhrelid), 'FROM \\(''(.+)''\\) TO \\(''(.+)''\\)') bound
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

      select record_partition(moment, now())
      from generate_series(now() - interval '90 days', now() + interval '28 days', interval '7 days') moment;
    `);
  }
}
