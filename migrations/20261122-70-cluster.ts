import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/** What records on an OpenSearch cluster need beside it: the journal, what waits to be indexed, and where values go. */
export class Cluster extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await numberDevices(steps);
    await steps.index({ name: 'device_number', table: 'device', definition: '(number)', unique: true });
    await steps.run(`
      -- Records in the order of their arrival, which their identifiers have (UUID version 7). Sessions that work on it have
      -- "journal" in front of their search path.
      create schema if not exists journal;
      create table if not exists journal.record (like public.record including defaults) partition by range (id);
      create index if not exists record_id on journal.record (id);

      -- Makes the partition of identifiers from lower up to upper, where there is none.
      create or replace function journal.add_partition(name text, lower uuid, upper uuid) returns void language plpgsql as $$
      begin
        perform pg_advisory_xact_lock(hashtext('journal.record'));
        if to_regclass(format('journal.%I', name)) is not null then return; end if;
        execute format('create table journal.%I (like journal.record including defaults) with (autovacuum_vacuum_insert_threshold = -1)', name);
        execute format('alter table journal.record attach partition journal.%I for values from (%L) to (%L)', name, lower, upper);
      end $$;

      -- What was committed together and is not in the index yet: records of these organizations whose identifiers lie between.
      create table if not exists record_batch (
        id bigint generated always as identity primary key,
        organizations uuid[] not null,
        low uuid not null,
        high uuid not null,
        records int not null,
        bytes bigint not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        lease_until timestamptz(3),
        claim_id uuid,
        attempts int not null default 0
      );
      comment on column record_batch.bytes is 'Of the records as they were sent to PostgreSQL.';
      comment on column record_batch.lease_until is 'Until then the indexer that has claimed it is taken to be at work.';

      -- Records that the index refuses, each with all that it takes to try again.
      create table if not exists index_dead_letter (
        record_id uuid primary key,
        organization_id uuid not null,
        reason text not null,
        "row" jsonb not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        attempts int not null default 1
      );

      -- The field of the index that has what records of an organization say under a path, read as one kind: n a number,
      -- b a boolean (0 and 1), l a whole number beyond 2^53, k text. Never given to another.
      create table if not exists index_place (
        organization_id uuid not null references account on delete cascade,
        path text not null,
        kind text not null check (kind in ('n', 'b', 'l', 'k')),
        field text not null,
        primary key (organization_id, path, kind),
        unique (organization_id, field)
      );

      -- Places whose older documents have yet to get their values.
      create table if not exists index_refill (
        organization_id uuid not null,
        path text not null,
        kind text not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        primary key (organization_id, path, kind),
        foreign key (organization_id, path, kind) references index_place on delete cascade
      );

      -- Names and types of a product's variables, as documents were made with them.
      create table if not exists index_shape (
        id int generated always as identity primary key,
        product_id uuid not null,
        types jsonb not null,
        digest text not null generated always as (md5(types::text)) stored,
        unique (product_id, digest)
      );

      -- How far the moves to the cluster and back are.
      create table if not exists index_move (
        name text primary key,
        state jsonb not null,
        changed_at timestamptz(3) not null default clock_timestamp()
      );
    `);
  }
}

/**
 * Documents name a device by a number: a query may name many thousands. An identity column would write all of the table anew
 * while everybody waits; so rows get their numbers from a sequence for the time being, whoever writes them.
 */
async function numberDevices(steps: OnlineSteps): Promise<void> {
  const identity = `select from pg_attribute where attrelid = 'device'::regclass and attname = 'number' and attidentity = 'a'`;
  if (await steps.finds(identity)) return;
  await steps.locked(
    'device',
    `
    create sequence if not exists device_number_fill as int;
    alter table device add column if not exists number int;
    alter table device alter column number set default nextval('device_number_fill'),
      drop constraint if exists device_numbered, add constraint device_numbered check (number is not null) not valid;
  `,
  );
  await steps.rows('device', `set number = nextval('device_number_fill')`, 'number is null');
  await steps.validate('device', 'device_numbered');
  // With the check it is not looked for nulls once more.
  await steps.locked(
    'device',
    `
    alter table device alter column number set not null, alter column number drop default;
    alter table device alter column number add generated always as identity, drop constraint device_numbered;
    select setval('device_number_seq', nextval('device_number_fill'), false);
    drop sequence device_number_fill;
  `,
  );
}
