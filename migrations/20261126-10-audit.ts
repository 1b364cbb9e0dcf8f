import { Migration } from '@mikro-orm/migrations';

/**
 * The audit log, partitioned by month: the identifier (UUID version 7) holds the time. The table has no foreign keys,
 * because an event outlives its target and its actor.
 */
export class Audit extends Migration {
  override up(): void {
    this.addSql(`
      create table audit_event (
        -- Holds the time, too.
        id uuid not null,
        -- The nil identifier: of no organization, such as a user that an operator made.
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
        -- An array of the values before and after, for each field.
        changes json not null default '{}',
        -- No checks of words: PostgreSQL parses each check again for every insert.
        outcome text not null,
        request_id text,
        address text,
        primary key (organization_id, id)
      ) partition by range (id);
      create index audit_event_target on audit_event (target_id, id);
      -- For identifiers of a clock that is far off: an event must never fail for want of a partition.
      create table audit_event_default partition of audit_event default`);
    this.addSql(`
      -- The smallest identifier of a time, of 1970 at the earliest.
      create function audit_bound(moment timestamptz) returns uuid language sql immutable as $$
        select (lpad(to_hex(greatest(extract(epoch from moment) * 1000, 0)::bigint), 12, '0') || '00000000000000000000')::uuid
      $$;
      -- The time of an identifier, to the millisecond.
      create function audit_time(id uuid) returns timestamptz language sql immutable as $$
        select to_timestamp(('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000.0)
      $$;
      -- Makes the partition of a month, unless it is there. What the default one has of the month moves into it.
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
