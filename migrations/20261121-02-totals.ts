import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/** Rollups of all devices of a product together, and whose records are in them. */
export class Totals extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.run(`
      create table if not exists record_total (
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
      comment on table record_total is 'Rows of record_rollup, added up over devices.';

      create table if not exists record_source (
        organization_id uuid not null,
        product_id uuid,
        device_id uuid not null,
        unique nulls not distinct (organization_id, product_id, device_id)
      );
      comment on table record_source is 'Devices that have, or had until their records were deleted, rollups of a product.';
      create index if not exists record_source_device on record_source (device_id);

      insert into record_total
      select organization_id, product_id, slot, hour, sum(n), sum(sum), min(min), max(max), sum(sum_squares)
      from record_rollup group by organization_id, product_id, slot, hour on conflict do nothing;
      insert into record_source select distinct organization_id, product_id, device_id from record_rollup on conflict do nothing;
    `);
    // By hour before slot: an hour's rollups are made and taken away together.
    await steps.index({
      name: 'record_rollup_product',
      table: 'record_rollup',
      definition: '(organization_id, product_id, hour, slot)',
    });
  }
}
