import { Migration } from '@mikro-orm/migrations';

/** The newest record of each field of a device that its product does not declare. */
export class NewestFields extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- One row for each device and field of its records' data. The value is read from the record. Upkeep writes these
      -- rows when it makes the rollups of an hour.
      create table record_newest (
        device_id uuid not null,
        name text not null,
        -- The time of the newest record with a value for the field.
        ts timestamptz not null,
        -- The time by which it is the newest: that of its arrival if its own was ahead of it.
        at timestamptz not null,
        primary key (device_id, name)
      ) with (fillfactor = 70);

      -- Hours whose rollups were made before this table was, and whose fields are still to be noted.
      create table record_newest_due (
        organization_id uuid not null,
        product_id uuid,
        hour timestamptz not null
      );
      insert into record_newest_due
      select organization_id, product_id, hour from record_total
       where slot = 0 and hour >= now() - interval '90 days';
    `);
  }
}
