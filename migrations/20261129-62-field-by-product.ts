import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Searches of an application know only the fields that its products send. */
export class FieldByProduct extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    // A field that was seen before products were noted stays one of all applications, so that its records are found.
    await steps.locked(
      'record_field',
      'alter table record_field add column if not exists by_product boolean not null default false',
    );
    // Upkeep notes a device's products with the rollups. One that changes its product keeps the one of newer records.
    await steps.run(`
      create or replace function device_source() returns trigger language plpgsql as $$
      begin
        insert into record_source (organization_id, product_id, device_id)
        select old.organization_id, old.product_id, old.id where exists (
          select from record_dirty y join record r
              on r.device_id = old.id and r.ts >= y.hour and r.ts < y.hour + interval '1 hour'
            where y.organization_id = old.organization_id and y.product_id is not distinct from old.product_id
              and r.product_id is not distinct from old.product_id)
        on conflict do nothing;
        return null;
      end $$`);
    await steps.locked(
      'device',
      `
      create or replace trigger device_source after update of product_id on device
        for each row when (old.product_id is distinct from new.product_id) execute function device_source()`,
    );
  }
}
