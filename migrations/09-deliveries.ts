import { Migration } from '@mikro-orm/migrations';

/** Deliveries: the calls of hooks, due and past. */
export class Deliveries extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- Numbers deliveries in the order of storing.
      create sequence delivery_seq;

      -- Deliveries, which are the jobs themselves. They have no foreign keys: deliveries outlive devices, and a
      -- background task deletes those of a deleted hook.
      create table delivery (
        id uuid not null,
        hook_id uuid not null,
        organization_id uuid not null,
        application_id uuid not null,
        device_id uuid,
        record_id uuid,
        event text not null check (event in ('record', 'ping')),
        ts timestamptz,
        seq bigint not null default nextval('delivery_seq'),
        -- The device, for an ordered hook. The deliveries of a lane go out in the order of seq.
        lane uuid,
        state text not null,
        done boolean not null default false check (done = (state in ('succeeded', 'failed'))),
        -- When the delivery began to wait: at storing, or at redelivery.
        queued_at timestamptz(3) not null,
        next_attempt_at timestamptz(3) not null,
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
        -- W3C traceparent of the request that caused the delivery. Its calls, made later and perhaps by another process,
        -- continue that trace.
        traceparent text,
        -- Kind of the event, unless it is a record or a ping.
        kind text,
        constraint delivery_state_check check (state in ('pending', 'succeeded', 'failed')),
        -- The hook comes first: this index finds a delivery, and lists those of a hook, newest first. With the state,
        -- PostgreSQL counts deliveries that succeeded without reading their rows.
        primary key (hook_id, id, done) include (state)
      ) partition by list (done);

      -- Waiting deliveries. Their partition is small, so that the cost of a claim does not depend on the history.
      create table delivery_open partition of delivery (constraint delivery_open_pending check (state = 'pending'))
        for values in (false)
        with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

      -- Settled deliveries, by day. A row moves here when it is settled, and stays until its day is dropped.
      create table delivery_done partition of delivery for values in (true) partition by range (id);
      create table delivery_done_default partition of delivery_done default;

      -- Leases of deliveries that a dispatcher is calling. A separate table, so that a claim writes a few bytes for
      -- each delivery instead of the delivery's row and index entries.
      create table delivery_lease (
        hook_id uuid not null,
        id uuid not null,
        claim_id uuid not null,
        locked_until timestamptz(3) not null,
        -- Pings do not count towards their hook's concurrency.
        ping boolean not null default false,
        primary key (hook_id, id)
      ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

      -- Finds the deliveries that a claim may take: those of a hook, pings, and the lanes of an ordered hook.
      create index delivery_due on delivery_open (hook_id, next_attempt_at) where event = 'record';
      create index delivery_ping on delivery_open (next_attempt_at) where event = 'ping';
      create index delivery_lane on delivery_open (hook_id, lane, seq) where lane is not null;
      -- Deliveries that changed long after they were stored, for subscribers. Most are settled within seconds, are found
      -- by their identifier, and do not have an entry here.
      create index delivery_late on delivery (hook_id, updated_at) where updated_at - created_at > interval '10 seconds';
      -- Pages of deliveries of a hook, a device and an application, newest first. Few deliveries fail, so the indexes
      -- of failed ones cost little.
      create index delivery_failed on delivery_done (hook_id, id) where state <> 'succeeded';
      create index delivery_device on delivery_done (hook_id, device_id, id) include (state);
      create index delivery_device_failed on delivery_done (hook_id, device_id, id) where state <> 'succeeded';
      create index delivery_application on delivery (application_id, id);
      create index delivery_application_failed on delivery_done (application_id, id) where state <> 'succeeded';

      -- Returns the smallest identifier (UUID version 7: milliseconds first) of a day in UTC.
      create function delivery_bound(day date) returns uuid language sql immutable as $$
        select (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
      $$;

      -- Creates the partition of a day and moves the day's rows into it. Returns whether it created one.
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

      -- Drops the partitions of days before a given day and returns their number. Waiting deliveries are not history:
      -- the function deletes them only if their hook is disabled and they have waited since before a given time.
      create function delivery_retire(before date, waiting_since timestamptz) returns integer language plpgsql as $$
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
        delete from delivery_open d using hook h
         where h.id = d.hook_id and h.disabled and d.event = 'record' and d.queued_at < waiting_since;
        delete from delivery_open where event = 'ping' and id < delivery_bound(before);
        return dropped;
      end $$;

      -- Keeps the state of a hook, and its waiting deliveries, in step with the hook, whether a statement or a cascade
      -- changed it.
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
          -- Claims go by the due time: all waiting deliveries become due, the oldest first. Leased ones are being called,
          -- and move when they are settled.
          update delivery_open d set next_attempt_at = d.queued_at
           where d.hook_id = new.id and d.event = 'record' and d.next_attempt_at > d.queued_at
             and not exists (select from delivery_lease l where l.hook_id = d.hook_id and l.id = d.id);
        end if;
        return null;
      end $$;
      create trigger hook_follow after insert or delete or update of disabled on hook
        for each row execute function hook_follow();
    `);
  }
}
