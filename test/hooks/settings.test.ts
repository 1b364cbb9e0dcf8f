import { beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { readConfig } from '#config/config.js';
import { useService } from '../support/service.js';
import { buildCustomer, type Customer } from './customer.js';
import { type Received, startReceiver, status } from './receiver.js';

const service = useService({
  config: { hooks: { ...readConfig({}).hooks, allowCidrs: ['127.0.0.0/8'], retrySchedule: [60_000] } },
});
let owner: Customer;
beforeAll(async () => {
  owner = await buildCustomer(service);
});
const url = 'http://127.0.0.1:9/';

interface Listed {
  id: string;
  attemptsMade: number;
  maxNumberAttempts: number;
  successful: boolean;
  createdAt: string;
}

/** Polls the path until `reached` holds for its answer. */
async function ask<Body>(path: string, reached: (body: Body) => boolean): Promise<Body> {
  for (;;) {
    const { body } = await owner.call<Body>('GET', path);
    if (reached(body)) return body;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const jobDone = async (response: { body: { id: string } }) =>
  ask<{ state: string; done: number; changed: number; total?: number }>(
    `/organizations/${owner.organizationId}/jobs/${response.body.id}`,
    ({ state }) => state === 'done' || state === 'failed',
  );

describe('settings of a hook', () => {
  it('keeps absent settings, and resets null ones to their defaults', async () => {
    const { path } = await owner.hook({ url });
    const usual = {
      events: ['record'],
      concurrency: 8,
      ordered: false,
      signed: false,
      circuit: 'closed',
      failuresInRow: 0,
      basicReplacedByHeader: false,
    };
    expect(await owner.call('GET', `${path}/settings`)).toMatchObject({ status: 200, body: usual });
    const filter = { tags: ['a'] };
    await owner.call('PUT', `${path}/settings`, { concurrency: 3, maxPerSecond: 5, filter });
    const changed = await owner.call('PUT', `${path}/settings`, { ordered: true });
    expect(changed.body).toEqual({ ...usual, concurrency: 3, maxPerSecond: 5, ordered: true, filter });
    const { body } = await owner.call('PUT', `${path}/settings`, {
      concurrency: null,
      maxPerSecond: null,
      ordered: null,
      filter: null,
    });
    expect(body).toEqual(usual);
  });

  it.each([
    ['concurrency', { concurrency: 65 }],
    ['concurrency', { concurrency: 0 }],
    ['maxPerSecond', { maxPerSecond: 0 }],
    ['filter.colour', { filter: { colour: ['red'] } }],
  ])('returns 422 for an invalid %s', async (path, values) => {
    const hook = await owner.hook({ url });
    const { status: code, body } = await owner.call<{ errors: { path: string }[] }>(
      'PUT',
      `${hook.path}/settings`,
      values,
    );
    expect(code).toBe(422);
    expect(body.errors.map((fault) => fault.path)).toContain(path);
  });

  it('contains reason and time when the hook was disabled by a 410 answer', async () => {
    const receiver = await startReceiver(status(410));
    const { path } = await owner.hook({ url: receiver.url() });
    await owner.send();
    await ask<{ disabled: boolean }>(path, ({ disabled }) => disabled);
    expect((await owner.call('GET', `${path}/settings`)).body).toMatchObject({
      disabledReason: 'gone',
      disabledAt: expect.any(String) as unknown,
    });
    await receiver.close();
  });
});

describe('hook filter', () => {
  it('delivers only records of devices with one of its tags', async () => {
    const receiver = await startReceiver();
    const { path } = await owner.hook({ url: receiver.url() });
    await owner.call('PUT', `${path}/settings`, { filter: { tags: ['roof', 'cellar'] } });
    await owner.send();
    await owner.call('PUT', `/devices/${owner.organizationId}/${owner.deviceId}`, { tags: ['roof'] });
    await owner.send();
    const list = await ask<Listed[]>(`${path}/deliveries`, ([first]) => first?.successful === true);
    expect(list).toHaveLength(1);
    await owner.call('PUT', `/devices/${owner.organizationId}/${owner.deviceId}`, { tags: null });
    await receiver.close();
  });

  it('delivers only records that match its query', async () => {
    const receiver = await startReceiver();
    const { path } = await owner.hook({ url: receiver.url() });
    const query = { range: { 'data.index': { gte: 2 } } };
    await owner.call('PUT', `${path}/settings`, { filter: { query } });
    await owner.send(4);
    await receiver.received(2);
    const sent = receiver.calls.map(({ body }) => (JSON.parse(body) as { record: { data: object } }).record.data);
    expect(sent).toEqual(expect.arrayContaining([{ index: 2 }, { index: 3 }]));
    expect((await owner.call<Listed[]>('GET', `${path}/deliveries`)).body).toHaveLength(2);
    await receiver.close();
  });

  describe('with a query on a variable whose type differs between products', () => {
    const other = async (variables: object[]) => {
      const { body } = await owner.call<{ id: string }>('POST', `/organizations/${owner.organizationId}/products`, {
        name: 'Other',
        version: '1',
        variables,
      });
      return body.id;
    };
    const variable = (name: string, type: string) => ({ name, type, mappings: [] });
    const device = async (name: string, product: string) => {
      const serial = `${name}-${owner.serial}`;
      const { body } = await owner.call<{ id: string }>(
        'POST',
        `/organizations/${owner.organizationId}/devices/${serial}`,
        {
          product: { id: product, organizationId: owner.organizationId },
        },
      );
      await owner.call('PUT', `/applications/${owner.organizationId}/${owner.applicationId}/devices/${body.id}`);
      return serial;
    };
    const delivered = (calls: readonly Received[]) =>
      calls.map(({ body }) => (JSON.parse(body) as { record: { data: object } }).record.data);

    it('evaluates the query by the product of each record', async () => {
      const first = await other([variable('level', 'FLOAT32')]);
      await other([variable('level', 'TXT')]);
      const second = await other([variable('level', 'TXT')]);
      const [a, b] = [await device('a', first), await device('b', second)];
      const [every, one] = [await startReceiver(), await startReceiver()];
      const query = { range: { 'data.level': { gt: 10 } } };
      const hooks = [await owner.hook({ url: every.url() }), await owner.hook({ url: one.url() })];
      await owner.call('PUT', `${hooks[0]!.path}/settings`, { filter: { query } });
      await owner.call('PUT', `${hooks[1]!.path}/settings`, { filter: { query, products: [first] } });
      const sent = [
        { serial: a, data: { level: 9 } },
        { serial: a, data: { level: 20 } },
        { serial: b, data: { level: '09' } },
        { serial: b, data: { level: 'high' } },
      ];
      await owner.call('POST', `/organizations/${owner.organizationId}/records`, sent);
      await every.received(2);
      await one.received(1);
      expect(delivered(every.calls)).toEqual(expect.arrayContaining([{ level: 20 }, { level: 'high' }]));
      expect(delivered(one.calls)).toEqual([{ level: 20 }]);
      const counts = await Promise.all(
        hooks.map(async ({ path }) => (await owner.call<Listed[]>('GET', `${path}/deliveries`)).body.length),
      );
      expect(counts).toEqual([2, 1]);
      await Promise.all([every.close(), one.close()]);
    });

    it('delivers all records of a product for which the query cannot be evaluated', async () => {
      const [number, flag] = [await other([variable('open', 'FLOAT32')]), await other([variable('open', 'BOOL')])];
      const [c, d] = [await device('c', number), await device('d', flag)];
      const receiver = await startReceiver();
      const { path } = await owner.hook({ url: receiver.url() });
      await owner.call('PUT', `${path}/settings`, { filter: { query: { term: { 'data.open': 7 } } } });
      await owner.call('POST', `/organizations/${owner.organizationId}/records`, [
        { serial: c, data: { open: 7 } },
        { serial: c, data: { open: 8 } },
        { serial: d, data: { open: true } },
      ]);
      await receiver.received(2);
      expect(delivered(receiver.calls)).toEqual(expect.arrayContaining([{ open: 7 }, { open: true }]));
      expect((await owner.call<Listed[]>('GET', `${path}/deliveries`)).body).toHaveLength(2);
      await receiver.close();
    });
  });

  it('returns 422 for a number beyond 2^53 - 1, which loses digits, and takes it as text', async () => {
    const { path } = await owner.hook({ url });
    const filter = (total: unknown) => ({ filter: { query: { range: { 'data.total': { gt: total } } } } });
    expect(await owner.call('PUT', `${path}/settings`, filter(2 ** 53))).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'filter.query', message: expect.stringMatching(/^`gt` must be sent as text/) }] },
    });
    expect((await owner.call('PUT', `${path}/settings`, filter('9007199254740993'))).status).toBe(200);
  });

  it('returns 422 for a query that no search accepts', async () => {
    const { path } = await owner.hook({ url });
    const response = await owner.call('PUT', `${path}/settings`, { filter: { query: { rnage: { ts: { gte: 1 } } } } });
    expect(response).toMatchObject({
      status: 422,
      body: { errors: [{ path: expect.stringMatching(/^filter\.query/) }] },
    });
  });

  it('delivers only records of its products', async () => {
    const { path } = await owner.hook({ url, disabled: false });
    await owner.call('PUT', `${path}/settings`, { filter: { products: ['01920000-0000-7000-8000-000000000000'] } });
    await owner.send();
    expect((await owner.call('GET', `${path}/deliveries`)).body).toEqual([]);
  });
});

describe('hook filter with empty lists', () => {
  it('delivers every record, since empty lists match all', async () => {
    const receiver = await startReceiver();
    const { path } = await owner.hook({ url: receiver.url() });
    const { body } = await owner.call('PUT', `${path}/settings`, { filter: { products: [], tags: [] } });
    expect(body).toMatchObject({ filter: { products: [], tags: [] } });
    await owner.send();
    await receiver.received(1);
    await receiver.close();
  });
});

describe('signing secret of a hook', () => {
  const verified = ({ body, headers }: Received, secret: string) => {
    try {
      return new Webhook(secret).verify(body, headers as Record<string, string>) !== undefined;
    } catch {
      return false;
    }
  };
  const rotate = async (path: string) =>
    (await owner.call<{ signingSecret: string }>('POST', `${path}/signing-secret`)).body.signingSecret;

  it('signs calls by Standard Webhooks, and with both secrets after a rotation', async () => {
    const receiver = await startReceiver();
    const { path } = await owner.hook({ url: receiver.url() });
    const first = await rotate(path);
    await owner.call('POST', `${path}/ping`);
    const second = await rotate(path);
    await owner.call('POST', `${path}/ping`);
    await owner.call('DELETE', `${path}/signing-secret`);
    await owner.call('POST', `${path}/ping`);
    const [one, both, none] = receiver.calls as [Received, Received, Received];
    expect([verified(one, first), verified(one, second)]).toEqual([true, false]);
    expect([verified(both, first), verified(both, second)]).toEqual([true, true]);
    expect(both.headers['webhook-id']).toBe(both.headers['x-service-delivery-id']);
    expect(none.headers).not.toHaveProperty('webhook-signature');
    await receiver.close();
  });

  it('appears once in the answer that creates it, and in no other', async () => {
    const { path } = await owner.hook({ url });
    const secret = await rotate(path);
    const answers = await Promise.all([owner.call('GET', path), owner.call('GET', `${path}/settings`)]);
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(secret.slice('whsec_'.length));
    expect(answers[1].body).toMatchObject({ signed: true });
  });
});

describe('GET .../hooks/:applicationHookId/ledger', () => {
  it('filters deliveries by outcome, device and time', async () => {
    const receiver = await startReceiver();
    const { path } = await owner.hook({ url: receiver.url() });
    await owner.send(2);
    const [last, first] = await ask<Listed[]>(
      `${path}/deliveries`,
      (list) => list.length === 2 && list.every(({ successful }) => successful),
    );
    const counted = async (query: string) => (await owner.call<Listed[]>('GET', `${path}/ledger?${query}`)).body.length;
    const soon = Date.now() / 1000 + 60;
    expect([
      await counted('successful=true'),
      await counted('successful=false'),
      await counted(`deviceId=${owner.deviceId}`),
      await counted('deviceId=nobody'),
      await counted(`from=${soon}`),
      await counted(`from=1&to=${soon}`),
    ]).toEqual([2, 0, 2, 0, 0, 2]);
    // A range includes both ends, to the millisecond.
    const [from, to] = [first!, last!].map(({ createdAt }) => Date.parse(createdAt));
    expect([
      await counted(`from=${from! / 1000}`),
      await counted(`to=${to! / 1000}`),
      await counted(`from=${(to! + 1) / 1000}`),
      await counted(`to=${(from! - 1) / 1000}`),
    ]).toEqual([2, 2, 0, 0]);
    await receiver.close();
  });
});

describe('redelivery', () => {
  it('repeats an ended delivery under its identifier, with a full round of attempts', async () => {
    let code = 500;
    const receiver = await startReceiver((response) => void response.writeHead(code).end());
    const { path } = await owner.hook({ url: receiver.url() });
    const { body: ping } = await owner.call<Listed>('POST', `${path}/ping`);
    code = 200;
    const again = await owner.call('POST', `${path}/deliveries/${ping.id}/redeliver`);
    expect(again).toMatchObject({ status: 200, body: { id: ping.id, maxNumberAttempts: 2 } });
    await ask<Listed>(`${path}/deliveries/${ping.id}`, ({ successful }) => successful);
    expect(receiver.calls.map(({ headers }) => headers['x-service-delivery-id'])).toEqual([ping.id, ping.id]);
    await receiver.close();
  });

  it('sends a waiting delivery at once', async () => {
    const receiver = await startReceiver(status(500));
    const { path } = await owner.hook({ url: receiver.url() });
    await owner.send();
    const [waiting] = await ask<Listed[]>(`${path}/deliveries`, ([first]) => first?.attemptsMade === 1);
    await owner.call('POST', `${path}/deliveries/${waiting!.id}/redeliver`);
    const made = await ask<Listed>(`${path}/deliveries/${waiting!.id}`, ({ attemptsMade }) => attemptsMade === 2);
    expect(made).toMatchObject({ id: waiting!.id, maxNumberAttempts: 2, successful: false });
    await receiver.close();
  });

  it('repeats all succeeded deliveries of a time range as a job', async () => {
    const receiver = await startReceiver();
    const { path } = await owner.hook({ url: receiver.url() });
    await owner.send(5);
    await ask<Listed[]>(
      `${path}/deliveries`,
      (list) => list.length === 5 && list.every(({ successful }) => successful),
    );
    const response = await owner.call<{ id: string }>('POST', `${path}/redeliver`, { from: 1, state: 'succeeded' });
    expect(response).toMatchObject({ status: 200, body: { kind: 'redeliver' } });
    expect(await jobDone(response)).toMatchObject({ state: 'done', changed: 5, total: 5 });
    await receiver.received(10);
    await receiver.close();
  });
});

describe('replay', () => {
  it('delivers the stored records of a time range as a job', async () => {
    const receiver = await startReceiver();
    await owner.send(3);
    const { path } = await owner.hook({ url: receiver.url() });
    const nothing = await owner.call<{ id: string }>('POST', `${path}/replay`, { to: 1 });
    expect(await jobDone(nothing)).toMatchObject({ state: 'done', total: 0, done: 0, changed: 0 });
    const response = await owner.call<{ id: string }>('POST', `${path}/replay`, { from: 1 });
    const { total, done, changed } = await jobDone(response);
    expect(changed).toBeGreaterThanOrEqual(3);
    expect([total, done]).toEqual([changed, changed]);
    const calls = await receiver.received(changed);
    expect(JSON.parse(calls[0]!.body)).toMatchObject({
      device: { id: owner.deviceId, serial: owner.serial },
      application: { id: owner.applicationId },
    });
    await receiver.close();
  });
});

describe('replay to a hook that chose alerts alone', () => {
  it('returns 409 until it chooses records', async () => {
    const receiver = await startReceiver();
    await owner.send(1);
    const { path } = await owner.hook({ url: receiver.url() });
    const alertsAlone = { events: ['alert.opened'] };
    expect((await owner.call('PUT', `${path}/settings`, alertsAlone)).status).toBe(200);
    expect(await owner.call('POST', `${path}/replay`, { from: 1 })).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', message: expect.stringContaining('not called for records') },
    });
    expect((await owner.call('PUT', `${path}/settings`, { events: ['record'] })).status).toBe(200);
    const begun = await owner.call<{ id: string }>('POST', `${path}/replay`, { from: 1 });
    expect(await jobDone(begun)).toMatchObject({ state: 'done' });
    await receiver.close();
  });
});

describe('statistics of a hook in GraphQL', () => {
  it('contains pending deliveries, success rate, latencies and settings', async () => {
    const receiver = await startReceiver();
    const { id, path } = await owner.hook({ url: receiver.url() });
    await owner.send(4);
    await ask<Listed[]>(
      `${path}/deliveries`,
      (list) => list.length === 4 && list.every(({ successful }) => successful),
    );
    const { body } = await owner.graph(
      `query ($o: ID!, $a: ID!, $h: ID!) {
        applicationHook(organizationId: $o, applicationId: $a, applicationHookId: $h) {
          stats { pending running successRate p50 p95 lastFailureAt }
          settings { concurrency circuit }
        }
      }`,
      { o: owner.organizationId, a: owner.applicationId, h: id },
    );
    expect(body).toEqual({
      data: {
        applicationHook: {
          stats: {
            pending: 0,
            running: 0,
            successRate: 1,
            p50: expect.any(Number) as unknown,
            p95: expect.any(Number) as unknown,
            lastFailureAt: null,
          },
          settings: { concurrency: 8, circuit: 'closed' },
        },
      },
    });
    await receiver.close();
  });
});
