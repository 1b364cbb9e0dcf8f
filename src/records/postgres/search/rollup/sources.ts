import sql from 'sql-template-tag';
import type { Rows } from '../snapshot-reader.js';

/** What an organization's rollups can be used for. Hours and days are Unix seconds. */
export interface Sources {
  /** Every product that it has records of; null for records of none. */
  readonly products: readonly (string | null)[];
  /** Of these, those whose records are all of the devices searched: rollups of all devices together serve. */
  readonly whole: ReadonlySet<string>;
  /** The hours of each product whose rollups are out of date. */
  readonly stale: ReadonlyMap<string | null, readonly number[]>;
  /** The days of each product whose rollups are not those of their hours. */
  readonly staleDays: ReadonlyMap<string | null, readonly number[]>;
}

/** Asks what rollups there are, in the snapshot in which they are to be read; `some` are the only devices asked about. */
export type FindSources = (rows: Rows, some?: readonly string[]) => Promise<Sources>;

interface SourceRow {
  productId: string | null;
  whole: boolean;
}

/** What is known of some devices. */
interface DeviceSources {
  readonly devices: ReadonlySet<string>;
  readonly found: Promise<{ deviceId: string; productId: string | null }[]>;
}

interface StaleRow {
  productId: string | null;
  hours: number[] | null;
  days: number[] | null;
}

/** Finds the sources of one call, an application's; what all its queries share is asked once. */
export const findSources = (organizationId: string, applicationId: string): FindSources => {
  let stale: Promise<StaleRow[]> | undefined;
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
    stale ??= rows<StaleRow>(
      sql`
        select product_id as "productId", array_agg(start) filter (where not day) as hours, array_agg(start) filter (where day) as days
        from (
          select distinct product_id, extract(epoch from hour)::float8 as start, false as day
          from record_dirty where organization_id = ${organizationId}::uuid
          union all
          select product_id, extract(epoch from day)::float8, true from record_dirty_day where organization_id = ${organizationId}::uuid) d
        group by product_id`,
      'stale',
    );
    const found = some
      ? ofDevices(rows, some)
      : (all ??= rows<SourceRow>(
          sql`
            select s.product_id as "productId", bool_and(a.device_id is not null) as whole
            from record_source s left join application_device a on a.application_id = ${applicationId}::uuid and a.device_id = s.device_id
            where s.organization_id = ${organizationId}::uuid group by s.product_id having bool_or(a.device_id is not null)`,
          'sources',
        ));
    const [ofProducts, outdated] = await Promise.all([found, stale]);
    return sourcesOf(ofProducts, outdated);
  };
};

const sourcesOf = (found: readonly SourceRow[], outdated: readonly StaleRow[]): Sources => {
  const rolled = found.map(({ productId }) => productId);
  const stale = outdated.flatMap(({ productId, hours }) => (hours === null ? [] : [[productId, hours] as const]));
  return {
    products: [...new Set([...rolled, ...stale.map(([productId]) => productId)])],
    whole: new Set(found.flatMap(({ productId, whole }) => (productId !== null && whole ? [productId] : []))),
    stale: new Map(stale),
    staleDays: new Map(outdated.flatMap(({ productId, days }) => (days === null ? [] : [[productId, days]]))),
  };
};
