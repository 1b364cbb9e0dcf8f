import { Migration } from '@mikro-orm/migrations';

/** Rollups by day, for questions over long ranges. */
export class Days extends Migration {
  override up(): void {
    this.addSql(`
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
      comment on table record_day is 'Rows of record_rollup, added up over the hours of a day (UTC).';
      create index record_day_product on record_day (organization_id, product_id, day, slot);
      create index record_day_device on record_day (device_id, product_id, slot, day);

      create table record_dirty_day (
        organization_id uuid not null,
        product_id uuid,
        day timestamptz not null,
        since timestamptz(3) not null default clock_timestamp(),
        noted_at timestamptz(3) not null default clock_timestamp(),
        unique nulls not distinct (organization_id, product_id, day)
      );
      comment on table record_dirty_day is 'Days whose rows of record_day are not those of record_rollup.';
      insert into record_dirty_day (organization_id, product_id, day)
      select distinct organization_id, product_id, date_trunc('day', hour, 'UTC') from record_rollup;
    `);
  }
}
