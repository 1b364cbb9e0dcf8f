import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requireSecretKey } from '#calls/stored-secret.js';
import { fine, json, type Receiver, startReceiver, status } from '../hooks/receiver.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let receiver: Receiver;
let behave = fine;
let count = 0;

beforeAll(async () => {
  owner = await world.organization();
  receiver = await startReceiver((response, call) => behave(response, call));
});
afterAll(() => receiver.close());

const at = () => `/organizations/${owner.id}/network-servers`;
const values = (more: object = {}) => ({
  kind: 'THE_THINGS_STACK',
  name: 'Roof',
  address: `${receiver.url('')}/`,
  application: `pumps-${++count}`,
  apiKey: 'NNSXS.SECRET-KEY',
  ...more,
});
const create = (more: object = {}) => owner.make(at(), values(more));
const test = async (id: string) => (await owner.post(`${at()}/${id}/test`)).body;

describe('a network server', () => {
  it('keeps its key encrypted, and never shows it', async () => {
    const sent = values();
    const made = await owner.post<{ id: string }>(at(), sent);
    const { apiKey, ...shown } = sent;
    expect(made.body).toMatchObject({ ...shown, address: receiver.url('').replace(/\/$/, ''), proposed: false });
    const { rows } = await world.pool.query('select api_key from network_server where id = $1', [made.body.id]);
    expect(rows[0].api_key).toMatch(/^v1\./);
    const audit = await owner.get(`/organizations/${owner.id}/audit?limit=5`);
    const list = await owner.get(at());
    expect(JSON.stringify([made.body, list.body, audit.body])).not.toContain(apiKey);
  });

  it('gets 409 for an application that has one already', async () => {
    const application = 'only-one';
    await create({ application });
    expect(await owner.post(at(), values({ application }))).toMatchObject({
      status: 409,
      body: { errors: [{ path: 'application' }] },
    });
    await create({ application, kind: 'CHIRPSTACK' });
  });

  it.each([
    ['an address with the path of the API', { address: 'https://lns.example/api/v3' }, 'address'],
    ['an address with a query', { address: 'https://lns.example/?a=1' }, 'address'],
    ['another protocol', { address: 'ftp://lns.example' }, 'address'],
    ['an application with a slash', { application: 'a/b' }, 'application'],
    ['a key with a line break', { apiKey: 'a\nb' }, 'apiKey'],
    ['no key', { apiKey: undefined }, 'apiKey'],
  ])('refuses %s', async (_title, more, path) => {
    expect(await owner.post(at(), values(more))).toMatchObject({ status: 422, body: { errors: [{ path }] } });
  });

  it('keeps its key when it is changed, but not for another address', async () => {
    const sent = values();
    const id = await owner.make(at(), sent);
    const { apiKey, ...kept } = sent;
    expect((await owner.put(`${at()}/${id}`, { ...kept, name: 'Cellar' })).body).toMatchObject({ name: 'Cellar' });
    const moved = { ...kept, address: 'http://127.0.0.1:9' };
    expect(await owner.put(`${at()}/${id}`, moved)).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'apiKey' }] },
    });
    expect((await owner.put(`${at()}/${id}`, { ...moved, apiKey })).status).toBe(200);
    expect((await owner.delete(`${at()}/${id}`)).status).toBe(204);
  });

  it('counts as a secret when the service starts', async () => {
    await create();
    await expect(requireSecretKey(world.pool, ['another key'])).rejects.toThrow('network servers');
  });
});

describe('the test of a network server', () => {
  it('asks The Things Stack with its key, and pushes nothing', async () => {
    behave = (response) =>
      void response
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"code":5,"message":"error:pkg/applicationserver:device_not_found (device `ddp-test` not found)"}');
    const id = await create({ application: 'asked' });
    const before = receiver.calls.length;
    expect(await test(id)).toEqual({ ok: true, message: 'The network server takes commands.', statusCode: 404 });
    expect(receiver.calls.slice(before)).toMatchObject([
      {
        path: '/api/v3/as/applications/asked/devices/ddp-test/down/push',
        headers: { authorization: 'Bearer NNSXS.SECRET-KEY' },
        body: '{"downlinks":[]}',
      },
    ]);
  });

  it('asks ChirpStack for the application', async () => {
    behave = json('{"application":{"name":"Pumps"}}');
    const id = await create({ kind: 'CHIRPSTACK', application: '52f14cd4-c6f1-4fbd-8f87-4025e1d49242' });
    expect(await test(id)).toMatchObject({ ok: true });
    expect(receiver.calls.at(-1)!.path).toBe('/api/applications/52f14cd4-c6f1-4fbd-8f87-4025e1d49242');
  });

  it.each([
    [401, 'API_KEY_REFUSED'],
    [403, 'API_KEY_RIGHTS'],
    [404, 'NOT_AT_NETWORK_SERVER'],
    [429, 'NETWORK_SERVER_BUSY'],
    [500, 'NETWORK_SERVER_FAILS'],
    [400, 'NETWORK_SERVER_REFUSED'],
  ])('says what %i means', async (statusCode, code) => {
    behave = status(statusCode);
    expect(await test(await create())).toMatchObject({ ok: false, code, statusCode, message: expect.any(String) });
  });

  it("hides the key in the server's own words", async () => {
    behave = (response) => void response.writeHead(401).end('{"message":"token NNSXS.SECRET-KEY is unknown"}');
    const { message } = (await test(await create())) as { message: string };
    expect(message).toContain('It says: token [redacted] is unknown');
  });

  it('says that there is no server at an address, or that it may not be called', async () => {
    expect(await test(await create({ address: 'http://127.0.0.1:9' }))).toMatchObject({
      ok: false,
      code: 'NETWORK_SERVER_UNREACHABLE',
    });
    expect(await test(await create({ address: 'http://169.254.169.254' }))).toMatchObject({
      ok: false,
      code: 'ADDRESS_BLOCKED',
    });
  });
});
