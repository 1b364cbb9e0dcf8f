import { Migration } from '@mikro-orm/migrations';

/** Finished days of records in columns. */
export class RecordBlocks extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- Numbers of an organization's product, or of its records without a product.
      create table record_block_source (
        source int generated always as identity primary key,
        organization_id uuid not null,
        product_id uuid,
        unique nulls not distinct (organization_id, product_id)
      );

      -- Numbers of devices that have records in blocks, or had them.
      create table record_block_device (
        device int generated always as identity primary key,
        device_id uuid not null unique
      );

      -- Numbers of leaves of a source's JSON.
      create table record_block_path (
        source int not null,
        col smallint not null,
        path text not null,
        primary key (source, col)
      );

      create sequence record_block_number as int;

      -- About 4,000 records of one source and one UTC day, in runs of one device. Each array is decoded by unnest: a
      -- value is (base + v) / 10 ^ scale, where v is an element of v1, v2 or v4, or v8 itself.
      create table record_block (
        block int primary key,
        source int not null,
        day date not null,
        days smallint not null default 1,
        n int not null,
        -- Lowest and highest device.
        lo int not null,
        hi int not null,
        -- Range of arrivals, which the identifiers have, in milliseconds since 1970.
        came_lo bigint,
        came_hi bigint,
        -- Runs: device and number of records.
        devices int[] not null,
        counts int[] not null,
        -- Time of record i of a run: t0 + i * step + unit * the element of column 20000, in microseconds since 1970.
        t0 bigint[] not null,
        step bigint[] not null,
        unit int not null,
        -- seq of record i of a run: seq0 + i * seq_step + the element of column 20001.
        seq0 bigint[] not null,
        seq_step bigint[] not null,
        -- Processes that created the identifiers. The counter of one: counter0 + floor(counter_step * (seq - seq_lo)) +
        -- the element of column 20004.
        process text[],
        counter0 bigint[],
        counter_step float8[],
        seq_lo bigint
      );
      create index record_block_day on record_block (source, day, lo);

      create table record_block_column (
        block int not null,
        col smallint not null,
        -- Number of values that are present.
        n int not null,
        -- Without an array, all values are base.
        base bigint,
        scale smallint,
        v1 "char"[],
        v2 smallint[],
        v4 int[],
        v8 float8[],
        -- With base, a value is dict[base + v + 1]; else the elements are the values.
        dict text[],
        -- Bytes of values, one after another; base + v are their lengths.
        raw bytea,
        -- The column with the same values.
        same smallint,
        -- Of all values.
        sum float8,
        sq float8,
        lo float8,
        hi float8,
        -- Different values as v, and how often each occurs.
        vals int[],
        hits int[],
        primary key (block, col)
      );
      alter table record_block_column alter column raw set storage external;

      -- Sums by run.
      create table record_block_sum (
        block int not null,
        col smallint not null,
        part "char" not null,
        base bigint,
        scale smallint,
        v1 "char"[],
        v2 smallint[],
        v4 int[],
        v8 float8[],
        primary key (block, col, part)
      );

      -- Days that are in blocks, and the number of their records.
      create table record_blocked (
        source int not null,
        day date not null,
        n int not null,
        made_at timestamptz(3) not null,
        -- Whether the day's devices have rows in record_day. If not, sums of blocks replace them.
        apart boolean not null default true,
        primary key (source, day)
      );

      -- No day without rows in record_day that is after this one has a value of this device and column (a slot).
      create table record_seen (
        source int not null,
        device int not null,
        col smallint not null,
        day date not null,
        primary key (device, source, col)
      ) with (fillfactor = 70);

      -- Days whose blocks are missing or differ from their records. A day whose records could not be restored has a
      -- fault, and waits for its next change.
      create table record_dirty_block (
        organization_id uuid not null,
        product_id uuid,
        day timestamptz not null,
        since timestamptz(3) not null default clock_timestamp(),
        noted_at timestamptz(3) not null default clock_timestamp(),
        fault text,
        unique nulls not distinct (organization_id, product_id, day)
      );
      -- All days that have records. Hours without rollups are noted with them.
      insert into record_dirty_block (organization_id, product_id, day)
      select distinct organization_id, product_id, date_trunc('day', hour, 'UTC') from record_total where slot = 0;
    `);
  }
}
