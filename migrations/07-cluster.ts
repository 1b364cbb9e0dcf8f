import { Migration } from '@mikro-orm/migrations';

/** State beside an OpenSearch cluster: the journal of records, the queue of the indexer, and the fields of the index. */
export class Cluster extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- Sessions that work on the journal put this schema first in their search path.
      create schema journal;

      -- Records that the service has yet to index in the cluster. Their identifiers (UUID version 7) have the order of
      -- arrival.
      create table journal.record (like public.record including defaults) partition by range (id);

      -- The queue of the indexer. A row stands for the records of one transaction that the cluster still lacks, by
      -- organizations and a range of identifiers. Most rows are deleted soon after they are inserted.
      create table record_batch (
        id bigint generated always as identity primary key,
        organizations uuid[] not null,
        low uuid not null,
        high uuid not null,
        records int not null,
        -- Size of the records in bytes, as the service sent them to PostgreSQL.
        bytes bigint not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        -- The lease of the indexer that claimed the batch.
        lease_until timestamptz(3),
        claim_id uuid,
        attempts int not null default 0
      ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

      -- Dead letters: records that the cluster refused, each with everything that a retry needs.
      create table index_dead_letter (
        record_id uuid primary key,
        organization_id uuid not null,
        reason text not null,
        "row" jsonb not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        attempts int not null default 1
      );

      -- The field of the index that has an organization's values of a path and a kind: n a number, b a boolean (0 and
      -- 1), l a whole number beyond 2^53, k a text. A field is never given to another path.
      create table index_place (
        organization_id uuid not null references account on delete cascade,
        path text not null,
        kind text not null check (kind in ('n', 'b', 'l', 'k')),
        field text not null,
        primary key (organization_id, path, kind),
        unique (organization_id, field)
      );

      -- Fields of the index whose values older documents still lack.
      create table index_refill (
        organization_id uuid not null,
        path text not null,
        kind text not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        primary key (organization_id, path, kind),
        foreign key (organization_id, path, kind) references index_place on delete cascade
      );

      -- Names and types of a product's variables that documents were made with.
      create table index_shape (
        id int generated always as identity primary key,
        product_id uuid not null,
        types jsonb not null,
        digest text not null generated always as (md5(types::text)) stored,
        unique (product_id, digest)
      );

      -- Progress of the moves to the cluster and back.
      create table index_move (
        name text primary key,
        state jsonb not null,
        changed_at timestamptz(3) not null default clock_timestamp()
      );

      -- Finds a record by its identifier.
      create index record_id on journal.record (id);

      -- Creates the partition of a range of identifiers, unless there is one.
      create function journal.add_partition(name text, lower uuid, upper uuid) returns void language plpgsql as $$
      begin
        perform pg_advisory_xact_lock(hashtext('journal.record'));
        if to_regclass(format('journal.%I', name)) is not null then return; end if;
        execute format('create table journal.%I (like journal.record including defaults) with (autovacuum_vacuum_insert_threshold = -1)', name);
        execute format('alter table journal.record attach partition journal.%I for values from (%L) to (%L)', name, lower, upper);
      end $$;

      -- Drops the partitions that end below an identifier and that no batch refers to. Returns their number.
      create function journal.drop_partitions(below uuid) returns int language plpgsql set lock_timeout = '2s' as $$
      declare
        part record;
        dropped int := 0;
      begin
        perform pg_advisory_xact_lock(hashtext('journal.record'));
        for part in
          select relname, bound[1]::uuid as lower, bound[2]::uuid as upper
          from pg_inherits join pg_class on pg_class.oid = inhrelid,
            regexp_match(pg_get_expr(relpartbound, inhrelid), 'FROM \(''(.+)''\) TO \(''(.+)''\)') bound
          where inhparent = 'journal.record'::regclass
        loop
          continue when part.upper > below
            or exists (select from record_batch b where b.low < part.upper and b.high >= part.lower);
          execute format('drop table journal.%I', part.relname);
          dropped := dropped + 1;
        end loop;
        return dropped;
      end $$;
    `);
  }
}
