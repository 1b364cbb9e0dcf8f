import { Migration } from '@mikro-orm/migrations';

/** How long records are kept, and their hourly rollups. */
export class Upkeep extends Migration {
  override up(): void {
    this.addSql(`
      alter table record_dirty add column noted_at timestamptz(3) not null default clock_timestamp();

      create table record_rollup (
        organization_id uuid not null,
        product_id uuid,
        device_id uuid not null,
        slot int not null,
        hour timestamptz not null,
        n bigint not null,
        sum float8,
        min float8,
        max float8,
        sum_squares float8,
        first float8,
        last float8,
        first_ts timestamptz not null,
        last_ts timestamptz not null
      );
      comment on column record_rollup.slot is
        '0: the records themselves; above: slot in record.numbers; below: minus the slot in record.texts.';
      create index record_rollup_product on record_rollup (organization_id, product_id, slot, hour);
      create index record_rollup_device on record_rollup (device_id, product_id, slot, hour);

      -- The most specific row counts; no row, or null, keeps records for ever.
      create table record_retention (
        organization_id uuid not null references account on delete cascade,
        product_id uuid references product on delete cascade,
        keep interval,
        unique nulls not distinct (organization_id, product_id)
      );

      -- Drops the partitions that end at or before a moment, or only those of them that are empty. Gives up after two seconds
      -- where somebody reads or writes for longer: it is called again.
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
            regexp_match(pg_get_expr(relpartbound, inhrelid), 'TO \\(''(.+)''\\)') bound
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
    `);
  }
}
