import { Migration } from '@mikro-orm/migrations';

/**
 * The audit log, partitioned by month: the identifier (UUID version 7) holds the time. The table has no foreign keys,
 * because an event outlives its target and its actor.
 */
export class Audit extends Migration {
  override up(): void {
    this.addSql(`
      create table audit_event (
        -- Contains the time of the event.
        id uuid not null,
        -- The nil identifier stands for no organization, for example when an operator creates a user.
        organization_id uuid not null,
        actor_kind text not null,
        actor_id uuid,
        actor_name text,
        user_id uuid,
        user_name text,
        action text not null,
        target_kind text,
        target_id uuid,
        target_name text,
        -- For each field, an array of the values before and after the change.
        changes json not null default '{}',
        -- The columns have no check constraints, because PostgreSQL parses each one again for every insert.
        outcome text not null,
        request_id text,
        address text,
        primary key (organization_id, id)
      ) partition by range (id);
      create index audit_event_target on audit_event (target_id, id);
      -- Holds identifiers of a clock that is far off: an event must never fail because its partition is missing.
      create table audit_event_default partition of audit_event default`);
    this.addSql(`
      -- Returns the smallest identifier of a time; times before 1970 count as 1970.
      create function audit_bound(moment timestamptz) returns uuid language sql immutable as $$
        select (lpad(to_hex(greatest(extract(epoch from moment) * 1000, 0)::bigint), 12, '0') || '00000000000000000000')::uuid
      $$;
      -- Returns the time of an identifier, to the millisecond.
      create function audit_time(id uuid) returns timestamptz language sql immutable as $$
        select to_timestamp(('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000.0)
      $$;
      -- Creates the partition of a month, unless it exists, and moves the month's rows from the default partition into
      -- it.
      create function audit_partition(moment timestamptz) returns void language plpgsql as $$
      declare
        month timestamp := date_trunc('month', moment at time zone 'UTC');
        first uuid := audit_bound(month at time zone 'UTC');
        next uuid := audit_bound((month + interval '1 month') at time zone 'UTC');
        name text := 'audit_event_' || to_char(month, 'YYYYMM');
      begin
        if exists (select from pg_class c where c.relname = name) then return; end if;
        perform pg_advisory_xact_lock(hashtext('audit_partition'));
        -- A look at the table: what to_regclass remembers may be from before the lock.
        if exists (select from pg_class c where c.relname = name) then return; end if;
        execute format('create table %I (like audit_event including all)', name);
        execute format(
          'with moved as (delete from audit_event_default where id >= %L and id < %L returning *) insert into %I select * from moved',
          first, next, name);
        execute format('alter table audit_event attach partition %I for values from (%L) to (%L)', name, first, next);
      end $$;
      select audit_partition(now() + make_interval(months => ahead)) from generate_series(0, 2) ahead`);
  }
}
