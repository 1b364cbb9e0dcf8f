import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { readConfig } from '#config/config.js';
import { buildCustomer, type Customer } from '../../hooks/customer.js';
import { type Receiver, startReceiver } from '../../hooks/receiver.js';
import { useService } from '../../support/service.js';

const service = useService({ config: { hooks: { ...readConfig({}).hooks, allowCidrs: ['127.0.0.0/8'] } } });
let slow: Customer;
let quick: Customer;
let receiver: Receiver;
let holder: pg.Client;

interface Settings {
  filter: object | null;
  filterDisabledAt?: string;
  filterDisabledReason?: string;
}

const filter = { query: { range: { 'data.index': { gt: 1_000_000 } } } };

/** Creates hooks with a filter that matches no record. */
async function hooksOf(customer: Customer, count: number): Promise<string[]> {
  const paths: string[] = [];
  for (let number = 0; number < count; number++) {
    const { path } = await customer.hook({ url: receiver.url() });
    await customer.call('PUT', `${path}/settings`, { filter });
    paths.push(path);
  }
  return paths;
}

/** Sends records without a pause until `stop` is called. */
function flood(customer: Customer): { stop(): Promise<void> } {
  let stopped = false;
  const loops = Array.from({ length: 6 }, async () => {
    while (!stopped) await customer.send();
  });
  return {
    async stop() {
      stopped = true;
      await Promise.all(loops);
    },
  };
}

beforeAll(async () => {
  [slow, quick, receiver] = await Promise.all([buildCustomer(service), buildCustomer(service), startReceiver()]);
  await quick.send();
  holder = new pg.Client(service.databaseUrl);
  await holder.connect();
});
afterAll(async () => {
  await holder.end();
  await receiver.close();
});

describe('slow hook filters of one organization', () => {
  it("delays no other organization's ingestion", async () => {
    await hooksOf(slow, 10);
    await slow.send();
    // The fields that the filters name are locked, so each query uses up its timeout on any machine.
    await holder.query('begin; lock table record_field in access exclusive mode');
    const sending = flood(slow);
    try {
      const latencies: number[] = [];
      for (let number = 0; number < 20; number++) {
        const begun = performance.now();
        expect((await quick.send()).status).toBe(200);
        latencies.push(performance.now() - begun);
      }
      // Earlier, ten filters of half a second each delayed every commit group.
      expect(Math.max(...latencies)).toBeLessThan(6000);
    } finally {
      await holder.query('rollback');
      await sending.stop();
    }
  });

  it('disables a filter that keeps timing out, and shows the reason, until the filter is set again', async () => {
    const owner = await buildCustomer(service);
    const [path] = await hooksOf(owner, 1);
    await owner.send();
    expect((await owner.call('GET', `${path}/deliveries`)).body).toEqual([]);
    const settings = async () => (await owner.call<Settings>('GET', `${path}/settings`)).body;
    expect(await settings()).not.toHaveProperty('filterDisabledAt');

    await holder.query('begin; lock table record_field in access exclusive mode');
    try {
      while ((await settings()).filterDisabledAt === undefined) await owner.send();
    } finally {
      await holder.query('rollback');
    }
    expect(await settings()).toMatchObject({ filter, filterDisabledReason: 'timeout' });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/^ddp_hook_filters_disabled_total [1-9]/m);

    // The hook now receives every record.
    const before = (await owner.call<unknown[]>('GET', `${path}/deliveries?limit=1000`)).body.length;
    await owner.send();
    expect((await owner.call<unknown[]>('GET', `${path}/deliveries?limit=1000`)).body).toHaveLength(before + 1);

    await owner.call('PUT', `${path}/settings`, { filter });
    expect(await settings()).not.toHaveProperty('filterDisabledAt');
    await owner.send();
    expect((await owner.call<unknown[]>('GET', `${path}/deliveries?limit=1000`)).body).toHaveLength(before + 1);
  });
});

describe('hook filter', () => {
  it('returns 422 for more than 16,384 characters', async () => {
    const { path } = await quick.hook({ url: receiver.url() });
    const terms = Array.from({ length: 2000 }, (_, index) => `value ${index}`);
    expect(
      await quick.call('PUT', `${path}/settings`, { filter: { query: { terms: { 'data.a': terms } } } }),
    ).toMatchObject({ status: 422, body: { errors: [{ path: 'filter.query' }] } });
  });
});
