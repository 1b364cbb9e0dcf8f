import { Migration } from '@mikro-orm/migrations';

/** Digests of the numbers of a day, for percentiles. */
export class Digest extends Migration {
  override up(): void {
    this.addSql(`
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
        digest bytea
      );
      comment on table record_digest is 'Numbers of a device and a day (UTC); slot 0: the records themselves.';
      comment on column record_digest.digest is
        'A number of entries (int4), then as many values (float8) in order; or minus that number, then as many values, each with how many it stands for (int4), minus that where it is their mean. Several behind each other are one digest.';
      create index record_digest_product on record_digest (organization_id, product_id, day, slot);
      create index record_digest_device on record_digest (device_id, product_id, slot, day);

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
        digest bytea
      );
      comment on table record_digest_total is 'Rows as those of record_digest, of all devices of a product together.';
      create index record_digest_total_product on record_digest_total (organization_id, product_id, day, slot);

      -- Floating point numbers hardly compress.
      alter table record_digest alter column digest set storage external;
      alter table record_digest_total alter column digest set storage external;

      insert into record_dirty_summary (organization_id, product_id, day)
      select distinct organization_id, product_id, date_trunc('day', hour, 'UTC') from record_total where product_id is not null
      on conflict do nothing;
    `);
  }
}
