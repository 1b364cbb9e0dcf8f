import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { PlainObject } from '../../item.js';
import type { LatestValue, RecordIndex } from '../../record-index.js';
import { fittingValue } from '../../typed.js';
import { type ProductShape, ProductShapes } from '../log/product.js';

/** The newest records of a device that are looked at first; most variables are in them. */
const newest = 20;

interface Recent {
  device_id: string;
  product_id: string | null;
  product_version: string | null;
  organization_id: string;
  ts: number;
  data: PlainObject;
}

/** A declared variable of a device that its newest records do not have. */
interface Missing {
  organization_id: string;
  device_id: string;
  product_id: string;
  name: string;
}

/**
 * The newest measured value is not the last received: late data does not replace it. Values come from a device's newest records;
 * a declared variable that is rarer is looked for in the hours that are not rolled up, and then where its newest rollup points,
 * whichever product the device had then. Arrays are in no rollup: where any came, the device's records are gone through.
 */
export const createLatest = (pool: Pool): RecordIndex['latest'] => {
  const shapes = new ProductShapes();
  return async (deviceIds) => {
    const found = new Map(deviceIds.map((id) => [id, new Map<string, LatestValue>()]));
    const recent = await findRecent(pool, deviceIds);
    const products = recent.flatMap(({ product_id: id, product_version: version }) =>
      id !== null && version !== null ? [{ id, version }] : [],
    );
    await shapes.load(pool, products);
    for (const { device_id, product_id, ts, data } of recent)
      keepNewest(found.get(device_id)!, data, ts, product_id === null ? undefined : shapes.get(product_id));
    const missing = missingOf(recent, found, shapes);
    for (const { device_id, product_id, ts, data } of await findRare(pool, missing))
      keepNewest(found.get(device_id)!, data, ts, shapes.get(product_id));
    return new Map([...found].map(([id, values]) => [id, [...values.values()].sort(byName)]));
  };
};

const byName = (a: LatestValue, b: LatestValue): number => (a.name < b.name ? -1 : 1);

const keepNewest = (
  known: Map<string, LatestValue>,
  data: PlainObject,
  ts: number,
  shape: ProductShape | undefined,
): void => {
  for (const [name, sent] of Object.entries(data)) {
    const variable = shape?.variables.find((candidate) => candidate.name === name);
    const value = variable ? fittingValue(variable.type, sent) : (sent ?? undefined);
    if (value === undefined || (known.get(name)?.ts ?? Number.NEGATIVE_INFINITY) >= ts) continue;
    known.set(name, { name, ts, value, ...(variable && { type: variable.type, unit: variable.unit ?? null }) });
  }
};

const findRecent = async (pool: Pool, deviceIds: readonly string[]): Promise<Recent[]> => {
  const { rows } = await pool.query<Recent>(sql`
    select d.id as device_id, d.organization_id, d.product_id, p.xmin::text as product_version, r.ts, r.data
    from unnest(${deviceIds}::uuid[]) w (id) join device d using (id) left join product p on p.id = d.product_id,
      lateral (select extract(epoch from ts)::float8 as ts, data from record where device_id = d.id
        order by record.ts desc, seq desc limit ${newest}) r`);
  return rows;
};

const missingOf = (
  recent: readonly Recent[],
  found: ReadonlyMap<string, ReadonlyMap<string, LatestValue>>,
  shapes: ProductShapes,
): Missing[] =>
  [...Map.groupBy(recent, ({ device_id }) => device_id)].flatMap(([device_id, records]) => {
    const { organization_id, product_id } = records[0]!;
    // Fewer records than asked for are all that the device has.
    if (product_id === null || records.length < newest) return [];
    return (shapes.get(product_id)?.slots ?? [])
      .filter(({ name }) => !found.get(device_id)?.has(name))
      .map(({ name }) => ({ organization_id, device_id, product_id, name }));
  });

interface Rare {
  device_id: string;
  /** The device's product as it is now. */
  product_id: string;
  ts: number;
  data: PlainObject;
}

const findRare = async (pool: Pool, missing: readonly Missing[]): Promise<Rare[]> => {
  if (missing.length === 0) return [];
  const filled = sql`case p.kind when 'number' then r.numbers[p.slot] is not null else r.texts[p.slot] is not null end`;
  const { rows } = await pool.query<Rare>(sql`
    with wanted as (
      select * from unnest(${missing.map(({ organization_id }) => organization_id)}::uuid[], ${missing.map(({ device_id }) => device_id)}::uuid[],
        ${missing.map(({ product_id }) => product_id)}::uuid[], ${missing.map(({ name }) => name)}::text[])
        w (organization_id, device_id, product_id, name)
    ), dirty as materialized (
      select distinct organization_id, product_id, hour from record_dirty
      where organization_id in (select organization_id from wanted) and product_id is not null
    ), place as materialized (
      select w.device_id, w.product_id as present, w.name, s.product_id, s.kind, s.slot, exists (
        select from record_field f where f.organization_id = w.organization_id and f.path = 'data.' || w.name and f.multi) as multi
      from wanted w cross join lateral (
        select w.product_id
        union select o.product_id from record_source o where o.device_id = w.device_id
        union select d.product_id from dirty d where d.organization_id = w.organization_id) had
      join product_slot s on s.product_id = had.product_id and s.name = w.name
    )
    select p.device_id, p.present as product_id, extract(epoch from value.ts)::float8 as ts,
      jsonb_build_object(p.name, value.data -> p.name) as data
    from place p cross join lateral (
      (select r.ts, r.seq, r.data from dirty join record r on r.device_id = p.device_id and r.product_id = p.product_id
          and r.ts >= dirty.hour and r.ts < dirty.hour + interval '1 hour'
        where dirty.product_id = p.product_id and ${filled} order by r.ts desc, r.seq desc limit 1)
      union all
      (select r.ts, r.seq, r.data from record r
        where r.device_id = p.device_id and r.product_id = p.product_id and ${filled} and r.ts = (
          select last_ts from record_rollup u
          where u.device_id = p.device_id and u.product_id = p.product_id
            and u.slot = case p.kind when 'number' then p.slot else -p.slot end
          order by u.hour desc limit 1)
        order by r.seq desc limit 1)
      union all
      (select r.ts, r.seq, r.data from record r
        where p.multi and r.device_id = p.device_id and r.many ? p.name order by r.ts desc, r.seq desc limit 1)
      order by ts desc, seq desc limit 1
    ) value`);
  return rows;
};
