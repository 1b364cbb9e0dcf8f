import sql from 'sql-template-tag';
import type { Rows } from '#records/scope/snapshot-reader.js';
import type { ReadNotes, StaleNotes } from '../stale-notes.js';

/** The rollups of an organization that are available to a query. Hours and days are Unix seconds. */
export interface Sources {
  /** Every product that has records; null stands for records without a product. */
  readonly products: readonly (string | null)[];
  /** Those products whose records all come from the searched devices: rollups of all devices together can be read. */
  readonly whole: ReadonlySet<string>;
  /** Stale hours of each product. */
  readonly stale: ReadonlyMap<string | null, readonly number[]>;
  /** Days of each product whose rollups differ from those of their hours. */
  readonly staleDays: ReadonlyMap<string | null, readonly number[]>;
  /** Days of each product whose blocks are missing or stale. */
  readonly staleBlocks: ReadonlyMap<string | null, readonly number[]>;
}

/**
 * Reads the available rollups in the snapshot in which they will be used. `some`: the only devices that the query
 * covers.
 */
export type FindSources = (rows: Rows, some?: readonly string[]) => Promise<Sources>;

interface SourceRow {
  productId: string | null;
  whole: boolean;
}

/** Products of which these devices have rollups. */
interface DeviceSources {
  readonly devices: ReadonlySet<string>;
  readonly found: Promise<{ deviceId: string; productId: string | null }[]>;
}

/**
 * Returns a function that finds the sources for the queries of one call in an application. Facts that all its queries
 * share are read once.
 */
export const findSources = (organizationId: string, applicationId: string, notes: ReadNotes): FindSources => {
  let all: Promise<SourceRow[]> | undefined;
  const cached: DeviceSources[] = [];

  const ofDevices = async (rows: Rows, some: readonly string[]): Promise<SourceRow[]> => {
    let one = cached.find(({ devices }) => some.every((id) => devices.has(id)));
    if (one === undefined) {
      const found = rows<{ deviceId: string; productId: string | null }>(
        sql`
          select device_id as "deviceId", product_id as "productId" from record_source
          where organization_id = ${organizationId}::uuid and device_id = any(${some}::uuid[])`,
        'sources of devices',
      );
      one = { devices: new Set(some), found };
      cached.push(one);
    }
    const wanted = new Set(some);
    return (await one.found).filter(({ deviceId }) => wanted.has(deviceId)).map((row) => ({ ...row, whole: false }));
  };

  return async (rows, some) => {
    const found = some
      ? ofDevices(rows, some)
      : (all ??= rows<SourceRow>(
          sql`
            select s.product_id as "productId", bool_and(a.device_id is not null) as whole
            from record_source s left join application_device a on a.application_id = ${applicationId}::uuid and a.device_id = s.device_id
            where s.organization_id = ${organizationId}::uuid group by s.product_id having bool_or(a.device_id is not null)`,
          'sources',
        ));
    const [ofProducts, stale] = await Promise.all([found, notes(rows)]);
    return sourcesOf(ofProducts, stale);
  };
};

const sourcesOf = (found: readonly SourceRow[], { hours, days, blocks }: StaleNotes): Sources => ({
  products: [...new Set([...found.map(({ productId }) => productId), ...hours.keys()])],
  whole: new Set(found.flatMap(({ productId, whole }) => (productId !== null && whole ? [productId] : []))),
  stale: hours,
  staleDays: days,
  staleBlocks: blocks,
});
