import { Migration } from '@mikro-orm/migrations';

/** Rollups by day and by the value of a text or a boolean. */
export class Summary extends Migration {
  override up(): void {
    this.addSql(`
      create table record_value (
        organization_id uuid not null,
        product_id uuid not null,
        device_id uuid not null,
        day timestamptz not null,
        key int not null,
        value text,
        n bigint not null,
        measures float8[] not null
      );
      comment on table record_value is 'Records of a device and a day (UTC) by the value of one variable.';
      comment on column record_value.key is 'Above 0: a BOOL variable, its slot in record.numbers; below: minus the slot in record.texts.';
      comment on column record_value.value is 'A text, or 0 or 1; null: the records without a value.';
      comment on column record_value.measures is
        'For each slot of record.numbers five: count (null for none), sum, minimum, maximum, sum of squares.';
      create index record_value_product on record_value (organization_id, product_id, day, key);
      create index record_value_device on record_value (device_id, product_id, key, day);

      create table record_value_total (
        organization_id uuid not null,
        product_id uuid not null,
        day timestamptz not null,
        key int not null,
        value text,
        n bigint not null,
        measures float8[] not null
      );
      comment on table record_value_total is 'Rows of record_value, added up over devices.';
      create index record_value_total_product on record_value_total (organization_id, product_id, day, key);

      create table record_summary (
        organization_id uuid not null,
        product_id uuid not null,
        day timestamptz not null,
        keys int[] not null,
        primary key (organization_id, product_id, day)
      );
      comment on table record_summary is 'Days that have rows in record_value, and for which variables: not for those of very many values.';

      create table record_dirty_summary (
        organization_id uuid not null,
        product_id uuid not null,
        day timestamptz not null,
        since timestamptz(3) not null default clock_timestamp(),
        noted_at timestamptz(3) not null default clock_timestamp(),
        primary key (organization_id, product_id, day)
      );
      comment on table record_dirty_summary is 'Days whose summary is not that of their records.';
      -- The days of what is stored already: made in the background.
      insert into record_dirty_summary (organization_id, product_id, day)
      select distinct organization_id, product_id, date_trunc('day', hour, 'UTC') from record_total where product_id is not null;
    `);
  }
}
