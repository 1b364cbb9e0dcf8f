import { Migration } from '@mikro-orm/migrations';

/** Newest measured values of devices, for formulas that read earlier records. */
export class EarlierValues extends Migration {
  override up(): void {
    this.addSql(`
      -- What a device measured last, for the formulas of a product that read earlier records. A transaction that stores
      -- or computes such records locks the row. A row may be deleted: it is made again from the records. Without a
      -- foreign key, whose check would lock the device.
      create table record_earlier (
        device_id uuid not null,
        product_id uuid not null,
        -- Newest record by time and identifier. Null: the device has none.
        ts timestamptz,
        record_id uuid,
        -- Variables whose newest values are known. Null: nothing is known yet.
        names text[],
        -- Newest value of each of them: name, time, identifier, value.
        inputs jsonb,
        primary key (device_id, product_id)
      ) with (fillfactor = 80);

      -- Records of a device to compute again: from the first time on, up to the last one of a new or changed record, and
      -- those after it that read what has changed.
      create table record_recompute (
        device_id uuid not null,
        product_id uuid not null,
        organization_id uuid not null,
        first_ts timestamptz not null,
        last_ts timestamptz not null,
        -- Variables that have changed.
        names text[] not null,
        noted_at timestamptz not null default clock_timestamp(),
        primary key (device_id, product_id)
      );
      create index record_recompute_noted on record_recompute (noted_at);
    `);
  }
}
