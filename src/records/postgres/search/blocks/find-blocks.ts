import sql from 'sql-template-tag';
import type { Rows } from '#records/scope/snapshot-reader.js';

/** The blocks of an organization that are available to a query, as one snapshot sees them. */
export interface Blocks {
  /** Products that have blocks; null stands for records without a product. */
  readonly sources: readonly BlockSource[];
  /** Days of each product whose blocks are missing or stale, in Unix seconds. On every other day its records are in blocks. */
  readonly stale: ReadonlyMap<string | null, readonly number[]>;
}

/** Number of a product's blocks. */
export interface BlockSource {
  readonly source: number;
  readonly productId: string | null;
  /** Number of devices that have records of the product, and whether all of them belong to the application. */
  readonly devices: number;
  readonly whole: boolean;
}

/** Reads the available blocks in the snapshot in which they will be used. */
export type FindBlocks = (rows: Rows) => Promise<Blocks>;

/** Returns a function that finds the blocks for an application, once for all queries of a call. */
export const findBlocks = (organizationId: string, applicationId: string): FindBlocks => {
  let found: Promise<Blocks> | undefined;
  return (rows) => (found ??= readBlocks(rows, organizationId, applicationId));
};

const readBlocks = async (rows: Rows, organizationId: string, applicationId: string): Promise<Blocks> => {
  const [sources, stale] = await Promise.all([
    rows<BlockSource>(
      sql`
        select s.source, s.product_id as "productId", d.devices, d.whole
        from record_block_source s cross join lateral (
          select count(*)::int as devices, coalesce(bool_and(a.device_id is not null), false) as whole
          from record_source d
          left join application_device a on a.application_id = ${applicationId}::uuid and a.device_id = d.device_id
          where d.organization_id = s.organization_id and d.product_id is not distinct from s.product_id) d
        where s.organization_id = ${organizationId}::uuid`,
      'block sources',
    ),
    rows<{ productId: string | null; days: number[] }>(
      sql`
        select product_id as "productId", array_agg(extract(epoch from day)::float8) as days
        from (
          select product_id, day from record_dirty_block where organization_id = ${organizationId}::uuid
          union
          select product_id, date_trunc('day', hour, 'UTC') from record_dirty where organization_id = ${organizationId}::uuid) d
        group by product_id`,
      'stale blocks',
    ),
  ]);
  return { sources, stale: new Map(stale.map(({ productId, days }) => [productId, days])) };
};
