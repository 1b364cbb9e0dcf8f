import { Migration } from '@mikro-orm/migrations';

/** Hooks, what the dispatcher remembers of each, and their deliveries, which are the jobs themselves. */
export class Hooks extends Migration {
  override up(): void {
    this.addSql(`
      create table hook (
        id uuid primary key,
        organization_id uuid not null,
        application_id uuid not null,
        url text not null,
        -- Passwords, values and signing secrets are sealed (src/hooks/secret.ts), never plain.
        basic_user text,
        basic_pass text,
        header_name text,
        header_value text,
        signing_secret text,
        previous_signing_secret text,
        previous_signing_secret_until timestamptz(3),
        allow_unverified_ssl_cert boolean not null default false,
        disabled boolean not null default false,
        disabled_at timestamptz(3),
        disabled_reason text,
        concurrency integer not null default 8 check (concurrency between 1 and 64),
        max_per_second double precision check (max_per_second > 0),
        ordered boolean not null default false,
        filter jsonb,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        foreign key (organization_id, application_id) references application (organization_id, id) on delete cascade,
        check ((basic_user is null) = (basic_pass is null)),
        check ((header_name is null) = (header_value is null))
      );
      create index hook_application on hook (application_id);

      -- What changes with every claim and call, apart from the hook, so that neither waits for the other.
      create table hook_state (
        hook_id uuid primary key references hook on delete cascade,
        -- Counts claims: a claim that saw another number lost the race for this hook (src/hooks/claim.ts).
        claims bigint not null default 0,
        failures_in_row integer not null default 0,
        failing_since timestamptz(3),
        last_failure_at timestamptz(3),
        circuit_openings integer not null default 0,
        circuit_until timestamptz(3),
        -- What waited longer than 7 days before this moment has ended.
        resumed_at timestamptz(3),
        -- Calls that maxPerSecond allows at tokens_at.
        tokens double precision not null default 0,
        tokens_at timestamptz(3)
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

      -- Hooks that are gone and whose deliveries are still to be swept.
      create table deleted_hook (
        hook_id uuid primary key,
        deleted_at timestamptz(3) not null default clock_timestamp()
      );
    `);
    this.addSql(`
      create function hook_follow() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          insert into hook_state (hook_id) values (new.id);
        elsif tg_op = 'DELETE' then
          insert into deleted_hook (hook_id) values (old.id) on conflict do nothing;
        elsif old.disabled and not new.disabled then
          update hook_state
             set failures_in_row = 0, failing_since = null, circuit_openings = 0, circuit_until = null,
                 resumed_at = new.updated_at
           where hook_id = new.id;
        end if;
        return null;
      end $$;
      -- Whoever writes a hook, by hand or by cascade, its state follows.
      create trigger hook_follow after insert or delete or update of disabled on hook
        for each row execute function hook_follow();
    `);
    this.addSql(`
      create sequence delivery_seq;
      -- No foreign keys: deliveries outlive devices, and those of a deleted hook are swept in the background.
      create table delivery (
        id uuid not null,
        hook_id uuid not null,
        organization_id uuid not null,
        application_id uuid not null,
        device_id uuid,
        record_id uuid,
        event text not null check (event in ('record', 'ping')),
        ts timestamptz,
        -- Order of storing; a lane (the device, of an ordered hook) goes out in it.
        seq bigint not null default nextval('delivery_seq'),
        lane uuid,
        state text not null check (state in ('pending', 'running', 'succeeded', 'failed')),
        done boolean not null default false check (done = (state in ('succeeded', 'failed'))),
        -- When it began to wait, at storing or by redelivery.
        queued_at timestamptz(3) not null,
        next_attempt_at timestamptz(3) not null,
        locked_until timestamptz(3),
        claim_id uuid,
        attempts_made integer not null default 0,
        max_attempts integer not null,
        payload json not null,
        request json,
        response json,
        truncated boolean not null default false,
        error json,
        attempts jsonb not null default '[]',
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        -- The hook first: this one index finds a delivery and lists a hook's, newest first.
        primary key (hook_id, id, done)
      ) partition by list (done);

      -- What is still to be done is one small table, so that a claim costs the same however long history is. Settled,
      -- a row moves to the partition of its day, where it lies still until that is dropped.
      create table delivery_open partition of delivery for values in (false)
        with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
      create index delivery_due on delivery_open (hook_id, next_attempt_at) where state = 'pending' and event = 'record';
      create index delivery_ping on delivery_open (next_attempt_at) where state = 'pending' and event = 'ping';
      create index delivery_running on delivery_open (hook_id) where state = 'running';
      create index delivery_lane on delivery_open (hook_id, lane, seq) where lane is not null;

      create table delivery_done partition of delivery for values in (true) partition by range (id);
      create table delivery_done_default partition of delivery_done default;
    `);
    this.addSql(`
      -- The smallest identifier (UUID version 7: milliseconds first) of a day in UTC.
      create function delivery_bound(day date) returns uuid language sql immutable as $$
        select (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
      $$;

      -- Makes the partition of a day, and moves into it what came before it was there. Answers whether it made one.
      create function delivery_partition(day date) returns boolean language plpgsql as $$
      declare
        name text := 'delivery_done_' || to_char(day, 'YYYYMMDD');
        low uuid := delivery_bound(day);
        high uuid := delivery_bound(day + 1);
      begin
        if to_regclass(name) is not null then
          return false;
        end if;
        lock table delivery_done_default in access exclusive mode;
        execute format('create table %I (like delivery_done including all)', name);
        execute format(
          'with moved as (delete from delivery_done_default where id >= %L and id < %L returning *)
           insert into %I select * from moved', low, high, name);
        execute format('alter table delivery_done attach partition %I for values from (%L) to (%L)', name, low, high);
        return true;
      end $$;

      -- Drops the partitions of the days before one, and answers their number.
      create function delivery_retire(before date) returns integer language plpgsql as $$
      declare
        name text;
        dropped integer := 0;
      begin
        for name in
          select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
           where i.inhparent = 'delivery_done'::regclass and c.relname ~ '^delivery_done_[0-9]{8}$'
             and to_date(right(c.relname, 8), 'YYYYMMDD') < before
        loop
          execute format('drop table %I', name);
          dropped := dropped + 1;
        end loop;
        delete from delivery_done_default where id < delivery_bound(before);
        delete from delivery_open where id < delivery_bound(before);
        return dropped;
      end $$;
    `);
  }
}
