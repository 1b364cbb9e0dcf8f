import { Migration } from '@mikro-orm/migrations';

/** Drops what of the journal is indexed, and keeps the queue of what is not small. */
export class Journal extends Migration {
  override up(): void {
    this.addSql(`
      -- Drops the partitions whose identifiers all lie below one, and that have nothing to be indexed; says how many.
      create function journal.drop_partitions(below uuid) returns int language plpgsql set lock_timeout = '2s' as $$
      declare
        part record;
        dropped int := 0;
      begin
        perform pg_advisory_xact_lock(hashtext('journal.record'));
        for part in
          select relname, bound[1]::uuid as lower, bound[2]::uuid as upper
          from pg_inherits join pg_class on pg_class.oid = inhrelid,
            regexp_match(pg_get_expr(relpartbound, inhrelid), 'FROM \\(''(.+)''\\) TO \\(''(.+)''\\)') bound
          where inhparent = 'journal.record'::regclass
        loop
          continue when part.upper > below
            or exists (select from record_batch b where b.low < part.upper and b.high >= part.lower);
          execute format('drop table journal.%I', part.relname);
          dropped := dropped + 1;
        end loop;
        return dropped;
      end $$;

      -- A queue: many more rows come and go than stay.
      alter table record_batch set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
    `);
  }
}
