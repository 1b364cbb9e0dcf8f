import { afterAll, beforeAll } from '@jest/globals';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { fairQueueFor } from '#database/pool-queue.js';
import { createPool } from '#database/pools.js';
import { newId } from '#entities/id.js';
import type { Variable } from '#entities/product.js';
import { locate, type PlainJson } from '#json/json.js';
import { parsePlain } from '#json/plain.js';
import { parseJson } from '#json/reader.js';
import { createRecordStore } from '#records/postgres/log/store.js';
import { createSearch } from '#records/postgres/search/postgres-search.js';
import { readNative } from '#records/record-body.js';
import type { QueryAnswer, RecordIndex, Search, SearchAnswer } from '#records/record-index.js';
import { useDatabase } from '../support/database.js';
import { testsBlocks, testsFrozen } from '../support/record-index.js';
import { openTestRecords, type TestRecords } from '../support/records.js';

/** A device to create, and whether it is linked to the application. */
export interface WorldDevice {
  serial: string;
  name?: string;
  tags?: string[];
  location?: { lat: number; lon: number };
  product?: string;
  linked?: boolean;
}

/** A record to store, by the serial of its device. */
export interface WorldRecord {
  serial: string;
  ts: number;
  metadata?: { [key: string]: PlainJson };
  data?: { [key: string]: PlainJson };
}

/** The contents of a world: products by name with their variables, devices and records. */
export interface WorldOptions {
  products?: Readonly<Record<string, Variable[]>>;
  devices: readonly WorldDevice[];
  records: readonly WorldRecord[];
  timeoutMs?: number;
}

/** An application with records in a database of its own. */
export interface World {
  readonly databaseUrl?: string;
  readonly pool: Pool;
  readonly organizationId: string;
  readonly applicationId: string;
  readonly productIds: Readonly<Record<string, string>>;
  readonly search: Search;
  /** The whole index of the engine under test; absent in worlds that only search. */
  readonly index?: RecordIndex;
  /** Sends one query; text keeps positions. Adds `products` when missing. */
  ask(query: PlainJson | string, range?: { gte: number; lte: number }): Promise<QueryAnswer>;
  askAll(queries: PlainJson[], range?: { gte: number; lte: number }, signal?: AbortSignal): Promise<SearchAnswer>;
  store(records: readonly WorldRecord[]): Promise<void>;
}

/** The current time in every world. */
export const worldNow = Date.UTC(2026, 10, 20, 12);

/** Creates a world before the tests of the file, with its records in the engine under test. */
export const useWorld = (options: WorldOptions): World => {
  const database = useDatabase();
  let world: World | undefined;
  let pool: Pool | undefined;
  let records: TestRecords | undefined;
  beforeAll(async () => {
    pool = createPool(database.url, { pipeline: true });
    records = await openTestRecords(database.url, { clock: () => worldNow, timeoutMs: options.timeoutMs ?? 10_000 });
    world = { ...(await buildWorld(pool, options, records)), databaseUrl: database.url };
  });
  afterAll(async () => {
    await records?.close();
    await pool?.end();
  });
  return new Proxy({} as World, {
    get: (_target, key) => {
      if (world === undefined) throw new Error('The world is made in beforeAll; ask it after that.');
      return world[key as keyof World];
    },
  });
};

const always = { gte: 946_684_800, lte: 4_102_444_800 };

/**
 * Creates an application with devices and records. By default the records are in PostgreSQL, through the given pool.
 */
export const buildWorld = async (
  pool: Pool,
  { products = {}, devices, records, timeoutMs = 30_000 }: WorldOptions,
  opened?: Pick<TestRecords, 'log' | 'index'>,
): Promise<World> => {
  const [organizationId, applicationId] = [newId(), newId()];
  const username = `o${organizationId.slice(-12)}`;
  await pool.query(sql`
    insert into account (id, type, username, email, created_at, updated_at)
    values (${organizationId}, 'organization', ${username}, ${`${username}@example.com`}, now(), now())`);
  await pool.query(sql`
    insert into application (id, organization_id, name, slug, created_at, updated_at)
    values (${applicationId}, ${organizationId}, 'Field', 'field', now(), now())`);
  const productIds: Record<string, string> = {};
  for (const [name, variables] of Object.entries(products)) {
    const id = newId();
    productIds[name] = id;
    await pool.query(sql`
      insert into product (id, organization_id, name, slug, version, variables, created_at, updated_at)
      values (${id}, ${organizationId}, ${name}, ${name}, '1', ${JSON.stringify(variables)}, now(), now())`);
  }
  for (const { serial, name = null, tags = [], location, product, linked = true } of devices) {
    const id = newId();
    const productId = product === undefined ? null : productIds[product]!;
    await pool.query(sql`
      insert into device (id, organization_id, serial, slug, name, tags, product_id, lat, lon, created_at, updated_at)
      values (${id}, ${organizationId}, ${serial}, ${serial}, ${name}, ${tags}, ${productId}, ${location?.lat ?? null}, ${location?.lon ?? null}, now(), now())`);
    if (linked) {
      await pool.query(sql`
        insert into application_device (organization_id, application_id, device_id) values (${organizationId}, ${applicationId}, ${id})`);
    }
  }
  const append = opened?.log.append ?? createRecordStore({ pool, clock: () => worldNow, plans: [] }).store;
  const store = async (more: readonly WorldRecord[]) => {
    const items = readNative(parsePlain(JSON.stringify(more)));
    const { results } = await append({ organizationId, items });
    if (results.length > 0) throw new Error(`Not stored: ${JSON.stringify(results)}`);
  };
  if (records.length > 0) await store(records);
  if (opened && testsBlocks()) {
    const { makeBlocks, freezeBlocks } = await import('./blocks.js');
    await makeBlocks(pool);
    if (testsFrozen()) await freezeBlocks(pool);
  }
  const search = opened?.index ?? createSearch({ pool, queue: fairQueueFor(pool), clock: () => worldNow, timeoutMs });
  const askAll: World['askAll'] = (queries, range = always, signal) =>
    search.prepare(
      locate(range),
      parseJson(JSON.stringify(queries)),
    )({ organizationId, applicationId, ...(signal && { signal }) });
  return {
    pool,
    organizationId,
    applicationId,
    productIds,
    search,
    ...(opened && { index: opened.index }),
    askAll,
    store,
    ask: async (query, range = always) => {
      const text = typeof query === 'string' ? query : JSON.stringify({ products: [], ...(query as object) });
      const { responses } = await search.prepare(
        locate(range),
        parseJson(`[${text}]`),
      )({ organizationId, applicationId });
      return responses[0]!;
    },
  };
};
