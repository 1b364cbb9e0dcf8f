import sql, { empty, type Sql } from 'sql-template-tag';
import type { Rows } from '#records/scope/snapshot-reader.js';
import type { ReadNotes } from '../stale-notes.js';

/** The blocks of an organization that are available to a query, as one snapshot sees them. */
export interface Blocks {
  /** Products that have blocks; null stands for records without a product. */
  readonly sources: readonly BlockSource[];
  /** Days of each product that are noted as stale, in Unix seconds, whether or not they have blocks. */
  readonly stale: ReadonlyMap<string | null, readonly number[]>;
}

/** Blocks of a product. */
export interface BlockSource {
  /** Number of the product's blocks. */
  readonly source: number;
  /** Days that have blocks, stale or not, in ascending order, in Unix seconds. */
  readonly days: readonly number[];
  /** Days whose rows are deleted. A row of such a day is a record that arrived later, and is in no block. */
  readonly alone: readonly number[];
  readonly productId: string | null;
  /** Number of devices that have records of the product, and whether all of them belong to the application. */
  readonly devices: number;
  readonly whole: boolean;
}

/** Reads the available blocks in the snapshot in which they will be used. */
export type FindBlocks = (rows: Rows) => Promise<Blocks>;

/** Application and time of a call. */
interface BlocksOf {
  readonly organizationId: string;
  readonly applicationId: string;
  /** ISO 8601. */
  readonly range: { readonly from: string; readonly to: string };
}

/** Returns a function that finds the blocks for an application, once for all queries of a call. */
export const findBlocks = ({ organizationId, applicationId, range }: BlocksOf, notes: ReadNotes): FindBlocks => {
  let found: Promise<BlockSource[]> | undefined;
  return async (rows) => {
    const days = (which: Sql) => sql`array(
          select extract(epoch from day)::float8 from record_blocked e
          where e.source = s.source${which} and e.day >= ${range.from}::timestamptz::date and e.day <= ${range.to}::timestamptz::date
          order by day)`;
    found ??= rows<BlockSource>(
      sql`
        select s.source, s.product_id as "productId", d.devices, d.whole, ${days(empty)} as days, ${days(sql` and e.alone`)} as alone
        from record_block_source s cross join lateral (
          select count(*)::int as devices, coalesce(bool_and(a.device_id is not null), false) as whole
          from record_source d
          left join application_device a on a.application_id = ${applicationId}::uuid and a.device_id = d.device_id
          where d.organization_id = s.organization_id and d.product_id is not distinct from s.product_id) d
        where s.organization_id = ${organizationId}::uuid`,
      'block sources',
    );
    const [sources, { blocks: stale }] = await Promise.all([found, notes(rows)]);
    return { sources, stale };
  };
};
