import { Migration } from '@mikro-orm/migrations';

/** Sums of records by hour, day and week, from which searches over long ranges are answered. */
export class Rollups extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- Hours that got records since their rollup was made. Storing transactions only append: with an upsert they would
      -- wait for each other.
      create table record_dirty (
        id bigint generated always as identity primary key,
        organization_id uuid not null,
        product_id uuid,
        hour timestamptz not null,
        noted_at timestamptz(3) not null default clock_timestamp()
      );

      -- The records of a device and an hour, by variable.
      create table record_rollup (
        organization_id uuid not null,
        product_id uuid,
        device_id uuid not null,
        -- 0 stands for the records themselves. A positive number is a slot in record.numbers, a negative one a slot in
        -- record.texts.
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

      -- Rows of record_rollup, added up over the devices of a product.
      create table record_total (
        organization_id uuid not null,
        product_id uuid,
        slot int not null,
        hour timestamptz not null,
        n bigint not null,
        sum float8,
        min float8,
        max float8,
        sum_squares float8,
        unique nulls not distinct (organization_id, product_id, hour, slot)
      );

      -- Devices that have rollups of a product, or had them until their records were deleted.
      create table record_source (
        organization_id uuid not null,
        product_id uuid,
        device_id uuid not null,
        unique nulls not distinct (organization_id, product_id, device_id)
      );

      -- Days whose rows of record_day differ from those of record_rollup.
      create table record_dirty_day (
        organization_id uuid not null,
        product_id uuid,
        day timestamptz not null,
        since timestamptz(3) not null default clock_timestamp(),
        noted_at timestamptz(3) not null default clock_timestamp(),
        unique nulls not distinct (organization_id, product_id, day)
      );

      -- Rows of record_rollup, added up over the hours of a day (UTC).
      create table record_day (
        organization_id uuid not null,
        product_id uuid,
        device_id uuid not null,
        slot int not null,
        day timestamptz not null,
        n bigint not null,
        sum float8,
        min float8,
        max float8,
        sum_squares float8
      );

      -- Days whose summaries (the tables below) differ from their records.
      create table record_dirty_summary (
        organization_id uuid not null,
        product_id uuid not null,
        day timestamptz not null,
        since timestamptz(3) not null default clock_timestamp(),
        noted_at timestamptz(3) not null default clock_timestamp(),
        primary key (organization_id, product_id, day)
      );

      -- Days that have summaries.
      create table record_summary (
        organization_id uuid not null,
        product_id uuid not null,
        day timestamptz not null,
        -- Variables that have rows in record_value. A variable with very many values has none.
        keys int[] not null,
        -- Whether record_digest_total has the day's sketches. Upkeep makes them in the background.
        sketched boolean not null default false,
        -- Whether record_digest_week includes the day in its current state.
        in_week boolean not null default false,
        primary key (organization_id, product_id, day)
      );

      -- The records of a device and a day (UTC), by the value of one variable.
      create table record_value (
        organization_id uuid not null,
        product_id uuid not null,
        device_id uuid not null,
        day timestamptz not null,
        -- A positive number is the slot of a BOOL variable in record.numbers, a negative one a slot in record.texts.
        key int not null,
        -- A text, or 0 or 1. Null stands for the records without a value.
        value text,
        n bigint not null,
        -- Five numbers for each slot of record.numbers: count (null for none), sum, minimum, maximum, sum of squares.
        measures float8[] not null
      );

      -- Rows of record_value, added up over the devices of a product.
      create table record_value_total (
        organization_id uuid not null,
        product_id uuid not null,
        day timestamptz not null,
        key int not null,
        value text,
        n bigint not null,
        measures float8[] not null
      );

      -- Digests of the numbers of a device and a day (UTC), for percentiles. Slot 0: the records themselves.
      create table record_digest (
        organization_id uuid not null,
        product_id uuid not null,
        device_id uuid not null,
        day timestamptz not null,
        slot int not null,
        n bigint not null,
        sum float8,
        min float8,
        max float8,
        sum_squares float8,
        -- The number of entries (int4), followed by as many values (float8), sorted. If the number is negative, each
        -- value has a weight (int4), and a negative weight marks a value that is a mean. Concatenated digests are one
        -- digest.
        digest bytea
      );

      -- Digests and sketches of a day, over the devices of a product.
      create table record_digest_total (
        organization_id uuid not null,
        product_id uuid not null,
        day timestamptz not null,
        slot int not null,
        n bigint not null,
        sum float8,
        min float8,
        max float8,
        sum_squares float8,
        digest bytea,
        -- A sketch of the distinct values of a number, or of a text (slot below 0), for cardinality: the number of
        -- values (int4), then the hash of each (int4). If the number is negative, it counts prefixes of 14 bits, and
        -- the smallest hash with each prefix follows. Concatenated sketches are one sketch.
        sketch bytea
      );

      -- Rows of record_digest_total, merged by week (from Monday, UTC). A week is out of date while record_summary says
      -- that it lacks one of its days.
      create table record_digest_week (
        organization_id uuid not null,
        product_id uuid not null,
        week timestamptz not null,
        slot int not null,
        n bigint not null,
        sum float8,
        min float8,
        max float8,
        sum_squares float8,
        digest bytea,
        sketch bytea
      );

      -- Floating-point numbers and hashes hardly compress.
      alter table record_digest alter column digest set storage external;
      alter table record_digest_total alter column digest set storage external, alter column sketch set storage external;
      alter table record_digest_week alter column digest set storage external, alter column sketch set storage external;

      -- The hours of a product. The hour precedes the slot: the rows of an hour are made and deleted together.
      create index record_rollup_product on record_rollup (organization_id, product_id, hour, slot);
      -- The hours of a device, by their day: PostgreSQL stores the key that 24 rows share once, which takes an eighth of
      -- the space of an index by hour.
      create index record_rollup_device on record_rollup
        (device_id, slot, date_bin('1 day', hour, timestamptz '1970-01-01 00:00:00+00'));
      -- The products of a device.
      create index record_source_device on record_source (device_id);
      -- The days of a product, and of a device.
      create index record_day_product on record_day (organization_id, product_id, day, slot);
      create index record_day_device on record_day (device_id, product_id, slot, day);
      create index record_value_product on record_value (organization_id, product_id, day, key);
      create index record_value_device on record_value (device_id, product_id, key, day);
      create index record_value_total_product on record_value_total (organization_id, product_id, day, key);
      create index record_digest_product on record_digest (organization_id, product_id, day, slot);
      create index record_digest_device on record_digest (device_id, product_id, slot, day);
      create index record_digest_total_product on record_digest_total (organization_id, product_id, day, slot);
      create index record_digest_week_product on record_digest_week (organization_id, product_id, week, slot);
      -- Days whose sketches upkeep has yet to build, and days that upkeep has yet to merge into their week.
      create index record_summary_unsketched on record_summary (day) where not sketched;
      create index record_summary_not_in_week on record_summary (organization_id, product_id, day) where not in_week;
    `);
  }
}
