import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import sql from 'sql-template-tag';
import { readConfig } from '#config/config.js';
import { useService } from '../support/service.js';
import { buildCustomer, type Customer } from './customer.js';
import { json, startReceiver, status } from './receiver.js';

const service = useService({
  config: { hooks: { ...readConfig({}).hooks, allowCidrs: ['127.0.0.0/8'], retrySchedule: [60_000] } },
});
let owner: Customer;
beforeAll(async () => {
  owner = await buildCustomer(service);
});
const url = 'http://127.0.0.1:9/in';
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;

interface Listed {
  id: string;
  attemptsMade: number;
  successful: boolean;
  response?: object;
}

/** Polls the deliveries of a hook until `reached` holds. */
async function deliveriesOf(path: string, reached: (list: Listed[]) => boolean): Promise<Listed[]> {
  for (;;) {
    const { body } = await owner.call<Listed[]>('GET', `${path}/deliveries?limit=100`);
    if (reached(body)) return body;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('POST /applications/:organizationId/:applicationId/hooks', () => {
  it('creates a hook and returns all but its password', async () => {
    const response = await owner.call('POST', owner.hooks, {
      url,
      authentication: { basic: { user: 'me', pass: 'very secret' }, header: { name: 'X-Key', value: 'key 1' } },
    });
    const { applicationId, organizationId } = owner;
    expect(response).toMatchObject({ status: 200 });
    expect(response.body).toEqual({
      id: expect.any(String) as unknown,
      url,
      application: { id: applicationId, organizationId },
      authentication: { basic: { user: 'me' }, header: { name: 'X-Key', value: 'key 1' } },
      allowUnverifiedSSLCert: false,
      disabled: false,
      createdAt: timestamp,
      updatedAt: timestamp,
    });
  });

  it('stores a bearer token as the header Authorization', async () => {
    const response = await owner.call('POST', owner.hooks, { url, authentication: { bearer: { value: 'abc' } } });
    expect(response).toMatchObject({
      status: 200,
      body: { authentication: { header: { name: 'Authorization', value: 'Bearer abc' } } },
    });
  });

  it.each([
    ['header', { header: { value: 'Token t1' } }, 'Token t1'],
    ['bearer', { bearer: { value: 't1' } }, 'Bearer t1'],
    ['header in lower case', { header: { name: 'authorization', value: 'Token t1' } }, 'Token t1'],
  ])('stores basic beside %s, and sends the value of the header', async (_, other, value) => {
    const receiver = await startReceiver();
    const authentication = { basic: { user: 'me', pass: 'a password' }, ...other };
    const { path } = await owner.hook({ url: receiver.url(), authentication });
    const { body: got } = await owner.call<object>('GET', path);
    expect(got).toMatchObject({ authentication: { basic: { user: 'me' }, header: { value } } });
    expect(await owner.call('GET', `${path}/settings`)).toMatchObject({ body: { basicReplacedByHeader: true } });
    await owner.call('POST', `${path}/ping`);
    expect(receiver.calls[0]?.headers.authorization).toBe(value);
    await receiver.close();
  });

  it.each([
    ['no address', {}, 'url'],
    ['an address that is no URL', { url: 'somewhere' }, 'url'],
    ['another scheme', { url: 'ftp://example.org/' }, 'url'],
    ['an address with user and password', { url: 'http://a:b@example.org/' }, 'url'],
    ['an address of more than 2048 characters', { url: `http://example.org/${'x'.repeat(2048)}` }, 'url'],
    ['a misspelt field', { url, disable: true }, 'disable'],
    ['basic without a password', { url, authentication: { basic: { user: 'a' } } }, 'authentication.basic.pass'],
    [
      'bearer and header',
      { url, authentication: { header: { name: 'x-a', value: 'b' }, bearer: { value: 'c' } } },
      'authentication.bearer',
    ],
    [
      'a header with a line break',
      { url, authentication: { header: { name: 'x-a', value: 'b\r\nx-c: d' } } },
      'authentication.header.value',
    ],
    [
      'a header name with a blank',
      { url, authentication: { header: { name: 'x a', value: 'b' } } },
      'authentication.header.name',
    ],
    [
      'a header that the call itself needs',
      { url, authentication: { header: { name: 'Content-Length', value: '1' } } },
      'authentication.header.name',
    ],
  ])('returns 422 for %s', async (_, values, path) => {
    const response = await owner.call<{ errors: { path: string }[] }>('POST', owner.hooks, values);
    expect(response).toMatchObject({ status: 422, body: { code: 'VALIDATION_FAILED' } });
    expect(response.body.errors.map((fault) => fault.path)).toContain(path);
  });
});

describe('PUT /applications/:organizationId/:applicationId/hooks/:applicationHookId', () => {
  it('accepts the authentication that GET returned, and keeps the password', async () => {
    const receiver = await startReceiver();
    const { path } = await owner.hook({ url, authentication: { basic: { user: 'me', pass: 'kept pass' } } });
    const { body } = await owner.call<{ authentication: object }>('GET', path);
    await owner.call('PUT', path, { url: receiver.url(), authentication: body.authentication });
    await owner.call('POST', `${path}/ping`);
    expect(receiver.calls[0]?.headers.authorization).toBe(`Basic ${btoa('me:kept pass')}`);
    await receiver.close();
  });

  it('keeps absent fields and clears null ones', async () => {
    const { path } = await owner.hook({ url, disabled: true, authentication: { header: { name: 'x-a', value: 'b' } } });
    expect((await owner.call('PUT', path, { url })).body).toMatchObject({
      disabled: true,
      authentication: { header: { name: 'x-a', value: 'b' } },
    });
    const { body } = await owner.call('PUT', path, { url, disabled: null, authentication: null });
    expect(body).toMatchObject({ disabled: false });
    expect(body).not.toHaveProperty('authentication');
  });
});

describe('GET /applications/:organizationId/:applicationId/hooks', () => {
  it('lists addresses and identifiers, and searches addresses by q', async () => {
    const { id } = await owner.hook({ url: 'http://example.org/one-of-a-kind' });
    const { body, headers } = await owner.call('GET', `${owner.hooks}?q=ONE-of`);
    expect(body).toEqual([{ id, url: 'http://example.org/one-of-a-kind' }]);
    expect(headers.get('x-total-count')).toBe('1');
  });
});

describe('DELETE /applications/:organizationId/:applicationId/hooks/:applicationHookId', () => {
  it('deletes the hook and its deliveries', async () => {
    const receiver = await startReceiver(status(500));
    const { path } = await owner.hook({ url: receiver.url() });
    await owner.send();
    await deliveriesOf(path, ([delivery]) => delivery?.attemptsMade === 1);
    expect(await owner.call('DELETE', path)).toMatchObject({ status: 204, body: undefined });
    expect(await owner.call('GET', `${path}/deliveries`)).toMatchObject({ status: 404 });
    expect(await owner.call('GET', path)).toMatchObject({ status: 404 });
    await receiver.close();
  });
});

describe('POST .../hooks/:applicationHookId/ping', () => {
  it('calls a disabled hook once and returns the delivery', async () => {
    const receiver = await startReceiver(status(500));
    const { id, path } = await owner.hook({ url: receiver.url(), disabled: true });
    const response = await owner.call<Listed>('POST', `${path}/ping`);
    const application = { id: owner.applicationId, organizationId: owner.organizationId };
    expect(response).toMatchObject({
      status: 200,
      body: {
        applicationHookId: id,
        application,
        maxNumberAttempts: 1,
        attemptsMade: 1,
        successful: false,
        request: { method: 'POST', payload: { application, hook: { id } } },
        response: { statusCode: 500 },
      },
    });
    expect(response.body).not.toHaveProperty('deviceId');
    expect(response.body).not.toHaveProperty('ts');
    expect(receiver.calls).toMatchObject([
      { headers: { 'x-service-event': 'ping', 'x-service-delivery-id': response.body.id } },
    ]);
    await receiver.close();
  });

  it('sets X-Delivery-Error to the reason when the receiver does not answer', async () => {
    const receiver = await startReceiver();
    const { id, path } = await owner.hook({ url: receiver.url() });
    expect((await owner.call('POST', `${path}/ping`)).headers.get('x-delivery-error')).toBeNull();
    await receiver.close();
    const refused = await owner.call<Listed>('POST', `${path}/ping`);
    expect(refused).toMatchObject({ status: 200, body: { applicationHookId: id, successful: false } });
    expect(refused.headers.get('x-delivery-error')).toBe('REFUSED: The connection was refused.');
    expect(refused.body).not.toHaveProperty('error');
  });

  it('returns 404 when the hook is deleted before the call', async () => {
    const { id, path } = await owner.hook({ url });
    const client = new pg.Client(service.databaseUrl);
    await client.connect();
    try {
      // While this table is locked, no call is claimed, including pings.
      await client.query('begin; lock table delivery_lease in exclusive mode');
      const answer = owner.call('POST', `${path}/ping`);
      for (;;) {
        const { rows } = await client.query(sql`select from delivery_open where hook_id = ${id}`);
        if (rows.length > 0) break;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await owner.call('DELETE', path);
      expect(await answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    } finally {
      await client.query('rollback');
      await client.end();
    }
  });
});

describe('GET .../hooks/:applicationHookId/deliveries', () => {
  it('lists deliveries newest first, with secrets replaced', async () => {
    const receiver = await startReceiver();
    const { path } = await owner.hook({
      url: receiver.url('/in'),
      authentication: { basic: { user: 'u', pass: 'p' }, header: { name: 'X-Key', value: 'k' } },
    });
    await owner.send(3);
    const list = await deliveriesOf(path, (all) => all.length === 3 && all.every(({ successful }) => successful));
    expect(list.map(({ id }) => id)).toEqual(
      list
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    // The three calls may arrive in any order.
    const received = receiver.calls.find(({ headers }) => headers['x-service-delivery-id'] === list[0]!.id)!;
    expect(list[0]).toEqual({
      id: expect.any(String) as unknown,
      applicationHookId: path.split('/').at(-1),
      deviceId: owner.deviceId,
      application: { id: owner.applicationId, organizationId: owner.organizationId },
      ts: expect.any(Number) as unknown,
      maxNumberAttempts: 2,
      attemptsMade: 1,
      successful: true,
      createdAt: timestamp,
      updatedAt: timestamp,
      request: {
        payload: JSON.parse(received.body) as unknown,
        headers: expect.objectContaining({ authorization: '[redacted]', 'x-key': '[redacted]' }) as unknown,
        method: 'POST',
        uri: expect.objectContaining({ href: receiver.url('/in') }) as unknown,
      },
      response: { statusCode: 200, headers: expect.any(Object) as unknown, body: 'fine' },
    });
    const idsOf = async (query: string) =>
      (await owner.call<{ id: string }[]>('GET', `${path}/deliveries?${query}`)).body.map(({ id }) => id);
    const [third, second, first] = list.map(({ id }) => id);
    expect(await idsOf('limit=1&page=2')).toEqual([second]);
    expect(await idsOf('limit=2&page=2')).toEqual([first]);
    expect(await idsOf('sort=createdAt&limit=2&page=2')).toEqual([third]);
    expect(await idsOf('sort=-createdAt')).toEqual([third, second, first]);
    expect(await idsOf('limit=2&page=3')).toEqual([]);
    const { headers } = await owner.call('GET', `${path}/deliveries?limit=2&q=/IN$`);
    expect(headers.get('x-total-count')).toBe('3');
    await receiver.close();
  });

  it('omits X-Total-Count when there are more than 10,000', async () => {
    const { path, id } = await owner.hook({ url, disabled: true });
    const client = new pg.Client(service.databaseUrl);
    await client.connect();
    await client.query(
      `insert into delivery (id, hook_id, organization_id, application_id, event, state, queued_at, next_attempt_at,
                             max_attempts, payload, created_at, updated_at)
       select gen_random_uuid(), $1, $2, $3, 'record', 'pending', now(), now(), 2, '{}', now(), now()
         from generate_series(1, 10001)`,
      [id, owner.organizationId, owner.applicationId],
    );
    await client.end();
    const { status, headers } = await owner.call('GET', `${path}/deliveries`);
    expect(status).toBe(200);
    expect(headers.get('x-total-count')).toBeNull();
  });
});

describe('GET .../deliveries/:deliveryId', () => {
  it('returns every attempt with the reason when no answer came', async () => {
    const { path } = await owner.hook({ url });
    await owner.send();
    const [delivery] = await deliveriesOf(path, ([first]) => first?.attemptsMade === 1);
    const { status: code, body } = await owner.call('GET', `${path}/deliveries/${delivery!.id}`);
    const error = { code: 'REFUSED', message: expect.any(String) as unknown };
    expect(code).toBe(200);
    expect(body).toMatchObject({
      error,
      attempts: [{ at: timestamp, error, duration: { total: expect.any(Number) } }],
    });
    expect(body).not.toHaveProperty('response');
    expect(delivery).not.toHaveProperty('error');
  });

  it('returns the answer `null` as null', async () => {
    const receiver = await startReceiver(json('null'));
    const { path } = await owner.hook({ url: receiver.url() });
    await owner.send();
    const [delivery] = await deliveriesOf(path, ([first]) => first?.successful === true);
    expect(delivery!.response).toMatchObject({ statusCode: 200, body: null });
    await receiver.close();
  });
});

describe('hooks of an application in GraphQL', () => {
  it('lists the hooks that match q with their application', async () => {
    const { id } = await owner.hook({ url: 'http://example.org/graph' });
    const { organizationId, applicationId } = owner;
    const { body } = await owner.graph(
      `query ($organizationId: ID!, $applicationId: ID!) {
        application(organizationId: $organizationId, applicationId: $applicationId) {
          hooks(q: "graph$") { items { id url disabled application { id } } totalCount }
        }
      }`,
      { organizationId, applicationId },
    );
    expect(body).toEqual({
      data: {
        application: {
          hooks: {
            items: [{ id, url: 'http://example.org/graph', disabled: false, application: { id: applicationId } }],
            totalCount: 1,
          },
        },
      },
    });
  });
});
