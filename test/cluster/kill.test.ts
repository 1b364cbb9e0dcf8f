import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/client.js';
import { useDatabase } from '../support/database.js';
import { recordIndexSettings } from '../support/record-index.js';
import { createTenant, withDatabase } from '../support/tenant.js';
import { until } from '../support/until.js';
import { type ServiceProcess, startServiceProcess } from './faults/service-process.js';
import { readDocuments } from './index-reader.js';

const kills = Number(process.env['FAULT_ROUNDS'] ?? 4);
const batchSize = 50;
/** Batches that are acknowledged between two kills. */
const between = 8;

const database = useDatabase();
const services: ServiceProcess[] = [];
let owner: Client;
let organizationId: string;

beforeAll(async () => {
  const settings = {
    DATABASE_URL: database.url,
    SECRET_KEY: 'a key for tests',
    RATE_LIMIT: '0',
    LOG_LEVEL: 'silent',
    ...recordIndexSettings(database.url),
  };
  services.push(await startServiceProcess(settings), await startServiceProcess(settings));
  ({ owner, id: organizationId } = await createTenant({ url: services[0]!.url, databaseUrl: database.url }));
  const device = await owner.post<{ id: string }>(`/organizations/${organizationId}/devices/a1`);
  const application = await owner.post<{ id: string }>(`/organizations/${organizationId}/applications`, { name: 'a' });
  const path = `/applications/${organizationId}/${application.body.id}`;
  await owner.put(`${path}/devices/${device.body.id}`);
  // Nothing listens there, so the deliveries wait and can be counted.
  await owner.post(`${path}/hooks`, { url: 'http://127.0.0.1:9/' });
}, 180_000);

afterAll(() => Promise.all(services.map((service) => service.stop())), 60_000);

const acknowledged: number[] = [];
let next = 0;
let over = false;

/** Posts batches to either process. Each batch is repeated until a process returns 200. */
const load = async (): Promise<void> => {
  while (!over) {
    const numbers = Array.from({ length: batchSize }, () => next++);
    const body = JSON.stringify(numbers.map((n) => ({ serial: 'a1', key: `${n}`, data: { n } })));
    for (let turn = next; ; turn++) {
      const answer = await fetch(`${services[turn % 2]!.url}/ddp/v1/organizations/${organizationId}/records`, {
        method: 'POST',
        headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
        body,
      }).catch(() => undefined);
      if (answer?.status === 200) break;
      await pause(20);
    }
    acknowledged.push(...numbers);
  }
};

const onward = async (): Promise<void> => {
  for (const wanted = acknowledged.length + between * batchSize; acknowledged.length < wanted; ) await pause(10);
};

const query = <Row extends object>(text: string): Promise<Row[]> =>
  withDatabase({ url: services[0]!.url, databaseUrl: database.url }, async (db) => (await db.query<Row>(text)).rows);

describe(`indexing while processes are killed ${kills} times`, () => {
  it(
    'loses no acknowledged record, duplicates none, and makes every delivery once',
    async () => {
      const running = Promise.all([load(), load(), load()]);
      for (let kill = 0; kill < kills; kill++) {
        await onward();
        await services[kill % 2]!.kill();
        await services[kill % 2]!.start();
      }
      await onward();
      over = true;
      await running;
      // Lets the leases of the killed processes expire.
      await query(`update record_batch set lease_until = now() - interval '1 second'`);
      await until(async () => (await query('select from record_batch limit 1')).length === 0);
      const documents = await readDocuments(database.url);
      const found = documents.map(({ _source }) => (JSON.parse(_source.src) as { data: { n: number } }).data.n);
      expect(differenceOf(found)).toEqual({ missing: [], twice: [], unknown: [] });
      const deliveries = await query<{ n: number }>(
        `select (r.data ->> 'n')::int as n from journal.record r join delivery d on d.record_id = r.id`,
      );
      expect(differenceOf(deliveries.map(({ n }) => n))).toEqual({ missing: [], twice: [], unknown: [] });
    },
    240_000 + kills * 30_000,
  );
});

/** Compares the found numbers with the acknowledged ones: missing, repeated and unknown numbers. */
const differenceOf = (found: readonly number[]) => {
  const once = new Set(found);
  const wanted = new Set(acknowledged);
  return {
    missing: acknowledged.filter((n) => !once.has(n)),
    twice: [...Map.groupBy(found, (n) => n)].flatMap(([n, all]) => (all.length > 1 ? [n] : [])),
    unknown: found.filter((n) => !wanted.has(n)),
  };
};
