import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { RecordRow } from '../document.js';

/** Maximum number of cached pairs of device and product. */
const maxKnown = 200_000;

/**
 * Notes which products the records of a device have (table `record_source`), because a search may name their variables
 * and fields.
 */
export class Sources {
  private readonly known = new Set<string>();

  constructor(private readonly pool: Pool) {}

  /** Notes the new pairs of these records. */
  async note(rows: readonly RecordRow[]): Promise<void> {
    const fresh = new Map<string, RecordRow>();
    for (const row of rows) {
      const key = `${row.deviceId} ${row.productId}`;
      if (!this.known.has(key)) fresh.set(key, row);
    }
    if (fresh.size === 0) return;
    const some = [...fresh.values()];
    await this.pool.query(sql`
      insert into record_source (organization_id, product_id, device_id)
      select * from unnest(${some.map(({ organizationId }) => organizationId)}::uuid[],
        ${some.map(({ productId }) => productId)}::uuid[], ${some.map(({ deviceId }) => deviceId)}::uuid[])
      on conflict do nothing`);
    if (this.known.size + fresh.size > maxKnown) this.known.clear();
    for (const key of fresh.keys()) this.known.add(key);
  }
}
