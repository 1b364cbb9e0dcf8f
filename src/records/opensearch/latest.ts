import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { timeOf } from '#entities/id.js';

import { type ProductShape, ProductShapes, type ProductUse } from '#records/scope/product-shape.js';
import { secondsAhead } from '#scheduling/order-time.js';

import { type DeclaringShape, NewestValues, newestRecords } from '../answer/latest-answer.js';
import type { RecordIndex } from '../record-index.js';
import type { DocumentSource } from './document.js';
import type { Engine, EngineHit, Part } from './engine.js';
import { newestOfEach } from './newest-time.js';
import type { FieldPlaces } from './place.js';
import { readingWithin } from './reading.js';

export interface LatestOptions {
  engine: Engine;
  /** For devices and products. */
  pool: Pool;
  places: FieldPlaces;
  clock: () => number;
  /** Maximum duration of a call, in milliseconds. */
  timeoutMs: number;
}

type Weigh = Parameters<RecordIndex['latest']>[1];

/** A device whose values are read. */
interface Device {
  id: string;
  organizationId: string;
  productId: string | null;
  productVersion: string | null;
  /** Whether the product belongs to another organization. */
  foreign: boolean | null;
}

/** Number of devices of one request: its answer holds the newest records of all of them. */
const devicesPerRequest = 25;

/**
 * Creates the read of newest values. The newest measured value is not the last received one: late data does not replace
 * it. A record that is ahead of its arrival counts from then. Values come from a device's newest records. A declared
 * variable that is not among them, or only in records that were ahead, is searched for in each field that may hold its
 * value.
 */
export const createClusterLatest = ({
  engine,
  pool,
  places,
  clock,
  timeoutMs,
}: LatestOptions): RecordIndex['latest'] => {
  const shapes = new ProductShapes();
  const latestOf = async (devices: readonly Device[], weigh: Weigh, found: Map<string, NewestValues>) => {
    const { organizationId } = devices[0]!;
    const call = { organizationId, from: null, to: null, deadline: performance.now() + timeoutMs };
    weigh(0);
    await engine.fresh(organizationId);
    const answers = await engine.search(
      call,
      devices.map(({ id }) => newestOf([{ term: { d: id } }], newestRecords)),
    );
    // Records ahead of now may hide those that came after them.
    const now = clock() * 1000;
    const ahead = devices.filter((_device, index) =>
      answers[index]!.hits.hits.some(({ sort }) => Number(sort![0]) > now),
    );
    const upToNow = ahead.map(({ id }) =>
      newestOf([{ term: { d: id } }, { range: { us: { lte: now } } }], newestRecords),
    );
    const behind = upToNow.length === 0 ? [] : await engine.search(call, upToNow);
    const rare: { device: Device; name: string }[] = [];
    answers.forEach(({ hits: { hits } }, index) => {
      const device = devices[index]!;
      const values = found.get(device.id)!;
      const shape = shapeOf(device, shapes);
      takeAll(hits, values, shape, weigh);
      const more = ahead.indexOf(device);
      if (more >= 0) takeAll(behind[more]!.hits.hits, values, shape, weigh);
      // Fewer records than requested means that these are all.
      if (hits.length < newestRecords) return;
      const certain = new Set(values.certainNames());
      for (const { name } of shape?.slots ?? []) if (!certain.has(name)) rare.push({ device, name });
    });
    if (rare.length === 0) return;
    const storing = await productsStoring(
      pool,
      organizationId,
      rare.map(({ device, name }) => ({ name, productId: device.productId! })),
    );
    const placed = (await places.of([organizationId])).get(organizationId)!;
    const asked = rare.flatMap(({ device, name }) => {
      const fields = [...new Set(Object.values(placed.get(`data.${name}`) ?? {}))];
      if (fields.length === 0) return [];
      const filled = { bool: { should: fields.map((field) => ({ exists: { field } })) } };
      const filters = [{ term: { d: device.id } }, { terms: { p: storing.get(name) ?? [] } }, filled];
      return [{ device, name, filters }];
    });
    const older = await engine.search(
      call,
      asked.map(({ filters }) => newestOf(filters, 1)),
    );
    const take = ({ device, name }: (typeof rare)[number], hits: readonly EngineHit[]) =>
      takeAll(hits, found.get(device.id)!, shapeOf(device, shapes), weigh, name);
    // A record that was ahead may hide those after its arrival.
    const hidden = older.flatMap(({ hits: { hits } }, index) => {
      take(asked[index]!, hits);
      const [hit] = hits;
      const isAhead = hit !== undefined && secondsAhead(Number(hit.sort![0]) / 1e6, timeOf(hit._id)) !== null;
      return isAhead ? [asked[index]!] : [];
    });
    if (hidden.length === 0) return;
    const newest = await newestOfEach(
      engine,
      call,
      hidden.map(({ filters }) => filters),
    );
    const later = await engine.search(
      call,
      newest.map((one) => newestOf([{ ids: { values: one === undefined ? [] : [one.id] } }], 1)),
    );
    later.forEach(({ hits: { hits } }, index) => take(hidden[index]!, hits));
  };
  return async (deviceIds, weigh) => {
    const found = new Map(deviceIds.map((id) => [id, new NewestValues()]));
    const devices = await findDevices(pool, deviceIds);
    const products = devices.flatMap((device) =>
      device.productVersion === null ? [] : [{ ...useOf(device)!, version: device.productVersion }],
    );
    await shapes.load(pool, products);
    await readingWithin(timeoutMs, async () => {
      for (const ofOne of Map.groupBy(devices, ({ organizationId }) => organizationId).values())
        for (let start = 0; start < ofOne.length; start += devicesPerRequest)
          await latestOf(ofOne.slice(start, start + devicesPerRequest), weigh, found);
    });
    return new Map([...found].map(([id, values]) => [id, values.byName()]));
  };
};

const newestOf = (filter: readonly Part[], size: number): Part => ({
  size,
  track_total_hits: false,
  query: { bool: { filter } },
  sort: [{ us: 'desc' }, { seq: 'desc' }],
  _source: ['src'],
});

/** Adds the values of records, or only those of one variable. */
const takeAll = (
  hits: readonly EngineHit[],
  values: NewestValues,
  shape: DeclaringShape | undefined,
  weigh: Weigh,
  name?: string,
): void => {
  for (const { _id: id, _source, sort } of hits) {
    const { src } = _source!;
    weigh(src!.length);
    const { data } = JSON.parse(src!) as DocumentSource;
    const wanted = name === undefined ? data : { [name]: data[name] ?? null };
    values.take(wanted, { id, ts: Number(sort![0]) / 1e6 }, shape);
  }
};

const useOf = ({ productId: id, foreign }: Device): ProductUse | undefined =>
  id === null ? undefined : { id, foreign: foreign === true };

const shapeOf = (device: Device, shapes: ProductShapes): ProductShape | undefined => {
  const use = useOf(device);
  return use && shapes.get(use);
};

const findDevices = async (pool: Pool, ids: readonly string[]): Promise<Device[]> => {
  const { rows } = await pool.query<Device>(sql`
    select d.id, d.organization_id as "organizationId", d.product_id as "productId", p.xmin::text as "productVersion",
           p.organization_id <> d.organization_id as "foreign"
      from unnest(${ids}::uuid[]) w (id) join device d using (id) left join product p on p.id = d.product_id`);
  return rows;
};

/**
 * Returns the products whose records may hold a value of a variable: those of the organization, and those of its
 * devices.
 */
const productsStoring = async (
  pool: Pool,
  organizationId: string,
  rare: readonly { name: string; productId: string }[],
): Promise<ReadonlyMap<string, string[]>> => {
  const { rows } = await pool.query<{ name: string; products: string[] }>(sql`
    select s.name, array_agg(distinct s.product_id::text) as products
      from product_slot s join product p on p.id = s.product_id
     where s.name = any(${rare.map(({ name }) => name)}::text[])
       and (p.organization_id = ${organizationId} or p.id = any(${rare.map(({ productId }) => productId)}::uuid[]))
     group by 1`);
  return new Map(rows.map(({ name, products }) => [name, products]));
};
