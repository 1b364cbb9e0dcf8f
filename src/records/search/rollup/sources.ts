import sql from 'sql-template-tag';
import type { Rows } from '../lane.js';

/** What an organization's rollups can be used for. Hours are Unix seconds. */
export interface Sources {
  /** Every product that it has records of; null for records of none. */
  readonly products: readonly (string | null)[];
  /** Of these, those whose records are all of the devices searched: rollups of all devices together serve. */
  readonly whole: ReadonlySet<string>;
  /** The hours of each product whose rollups are out of date. */
  readonly stale: ReadonlyMap<string | null, readonly number[]>;
}

interface SourceRow {
  productId: string | null;
  whole: boolean;
  stale: number[];
}

/** Asks what rollups there are, in the snapshot in which they are to be read. */
export const loadSources = async (
  rows: Rows,
  organizationId: string,
  deviceIds: readonly string[],
): Promise<Sources> => {
  const found = await rows<SourceRow>(sql`
    select product_id as "productId", bool_and(device_id = any(${deviceIds}::uuid[])) as whole, '{}'::float8[] as stale
    from record_source where organization_id = ${organizationId}::uuid group by product_id
    union all
    select product_id, true, array_agg(distinct extract(epoch from hour)::float8)
    from record_dirty where organization_id = ${organizationId}::uuid group by product_id`);
  const whole = found.flatMap(({ productId, whole: is }) => (productId !== null && is ? [productId] : []));
  const apart = new Set(found.filter((row) => !row.whole).map(({ productId }) => productId));
  return {
    products: [...new Set(found.map(({ productId }) => productId))],
    whole: new Set(whole.filter((id) => !apart.has(id))),
    stale: new Map(found.filter(({ stale }) => stale.length > 0).map(({ productId, stale }) => [productId, stale])),
  };
};
