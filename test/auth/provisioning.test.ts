import { beforeAll, describe, expect, it } from '@jest/globals';
import { Actor } from '../support/actor.js';
import type { Answer } from '../support/client.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

interface Provisioning {
  id: string;
  productId: string;
  deviceLimit: number;
  deviceCount: number;
}

let owner: AccountActor;
let product: string;
let path: string;
let count = 0;
const newSerial = () => `a0-${String(++count).padStart(4, '0')}`;
const soon = () => new Date(Date.now() + 3_600_000).toISOString();

beforeAll(async () => {
  owner = await world.organization();
  product = await newProduct(owner);
  path = `/products/${owner.id}/${product}/provisioning-tokens`;
});

const newProduct = (actor: AccountActor) =>
  actor.make(`/organizations/${actor.id}/products`, {
    name: 'Meter',
    version: '1',
    variables: [{ name: 'a', type: 'FLOAT32' }],
  });

/** Creates a provisioning token, and an actor that uses the token. */
async function provisioning({ limit = 10, at = path, who = owner } = {}) {
  const { status, body } = await who.post<{ token: string; provisioningToken: Provisioning }>(at, {
    deviceLimit: limit,
    expiresAt: soon(),
  });
  expect(status).toBe(200);
  return { id: body.provisioningToken.id, token: body.token, actor: new Actor(world.url, body.token) };
}

interface Registered {
  token: string;
  apiToken: { deviceId: string; organizationId: string };
}

const register = (actor: Actor, serial = newSerial()): Promise<Answer<Registered>> =>
  actor.post(`/provision/${serial}`);

const told = async (id: string) =>
  (await owner.get<Provisioning[]>(`${path}?limit=1000`)).body.find((each) => each.id === id);

const deviceCount = async () =>
  Number((await owner.get(`/organizations/${owner.id}/devices`)).headers.get('x-total-count'));

describe('POST /provision/:deviceSerial', () => {
  it("registers the device under the token's product, and returns a token that posts its records", async () => {
    const { actor } = await provisioning();
    const { status, body } = await register(actor, 'AB-CD01');
    expect(status).toBe(200);
    const { deviceId, organizationId } = body.apiToken;
    expect(organizationId).toBe(owner.id);
    const device = `/devices/${owner.id}/${deviceId}`;
    expect((await owner.get(device)).body).toMatchObject({ serial: 'AB-CD01', product: { id: product } });
    const itself = new Actor(world.url, body.token);
    expect((await itself.post(`${device}/records`, { data: { a: 1 } })).body).toMatchObject({ accepted: 1 });
    expect((await owner.get<object[]>(`${device}/tokens`)).body).toEqual([
      expect.objectContaining({ name: 'Provisioned', deviceId }),
    ]);
  });

  it('registers a device over GraphQL too', async () => {
    const { actor } = await provisioning();
    const { body } = await actor.graph(
      'mutation ($s: Serial!) { provisionDevice(deviceSerial: $s) { token apiToken { deviceId } } }',
      { s: newSerial() },
    );
    expect(body.data!['provisionDevice']).toMatchObject({ token: expect.stringMatching(/^ddp_/) });
  });

  it('returns the same 409 for any registered serial, without using up the device limit', async () => {
    const { id, actor } = await provisioning({ limit: 2 });
    const [byOwner, itself] = [newSerial(), newSerial()];
    await owner.make(`/organizations/${owner.id}/devices/${byOwner}`);
    await register(actor, itself);
    for (const serial of [byOwner, byOwner.replace('-', '').toUpperCase(), itself]) {
      expect(await register(actor, serial)).toMatchObject({
        status: 409,
        body: { code: 'CONFLICT', message: 'This serial cannot be registered with this token.' },
      });
    }
    expect(await told(id)).toMatchObject({ deviceCount: 1 });
  });

  it('returns 403 or 404 for anything else that the token tries', async () => {
    const { actor } = await provisioning();
    const calls = [
      await actor.get('/account'),
      await actor.get(path),
      await actor.post(`/organizations/${owner.id}/devices/${newSerial()}`),
      await actor.post(`/organizations/${owner.id}/records`, { serial: 'ab-cd01', data: { a: 1 } }),
      await actor.get(`/elasticsearch/${owner.id}/`),
    ];
    for (const { status } of calls) expect([403, 404]).toContain(status);
    expect(calls.slice(0, 4).map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  it("registers in the organization that created the token, also for another organization's public product", async () => {
    const maker = await world.organization();
    const shared = await newProduct(maker);
    const at = `/products/${maker.id}/${shared}/provisioning-tokens`;
    expect((await owner.post(at, { deviceLimit: 1, expiresAt: soon() })).status).toBe(404);
    await world.pool.query('update product set public = true where id = $1', [shared]);
    const { actor } = await provisioning({ at });
    const { deviceId } = (await register(actor)).body.apiToken;
    expect((await owner.get(`/devices/${owner.id}/${deviceId}`)).body).toMatchObject({ product: { id: shared } });
    expect((await maker.get<object[]>(at)).body).toEqual([]);
    await world.pool.query('update product set public = false where id = $1', [shared]);
    expect((await register(actor)).status).toBe(404);
  });
});

describe('provisioning token', () => {
  it('registers no more devices than its limit, also concurrently', async () => {
    const { id, actor } = await provisioning({ limit: 3 });
    const before = await deviceCount();
    const answers = await Promise.all(Array.from({ length: 8 }, () => register(actor)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => ({ status, body }))).toEqual(
      Array.from({ length: 5 }, () => ({
        status: 403,
        body: expect.objectContaining({
          message: 'As many devices as this token allows have registered with it: use another token.',
        }),
      })),
    );
    expect(await deviceCount()).toBe(before + 3);
    expect(await told(id)).toMatchObject({ deviceLimit: 3, deviceCount: 3 });
  });

  it('registers a serial once when several tokens use it concurrently', async () => {
    const tokens = await Promise.all([provisioning(), provisioning(), provisioning()]);
    const serial = newSerial();
    const answers = await Promise.all([...tokens, ...tokens].map(({ actor }) => register(actor, serial)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
    const counts = await Promise.all(tokens.map(async ({ id }) => (await told(id))!.deviceCount));
    expect(counts.toSorted()).toEqual([0, 0, 1]);
  });

  it('returns 401 after it is revoked, expires or loses its product, and leaves its devices', async () => {
    const { id, actor } = await provisioning();
    const { deviceId } = (await register(actor)).body.apiToken;
    expect((await owner.delete(`${path}/${id}`)).status).toBe(204);
    expect((await register(actor)).status).toBe(401);
    expect((await owner.get(`/devices/${owner.id}/${deviceId}`)).status).toBe(200);
    const late = await provisioning();
    await world.pool.query("update api_token set expires_at = now() - interval '1 second' where id = $1", [late.id]);
    expect((await register(late.actor)).status).toBe(401);
    const short = await newProduct(owner);
    const ended = await provisioning({ at: `/products/${owner.id}/${short}/provisioning-tokens` });
    expect((await owner.delete(`/products/${owner.id}/${short}`)).status).toBe(204);
    expect((await register(ended.actor)).status).toBe(401);
  });

  it('requires a device limit and an expiry in the future', async () => {
    const faultsOf = async (values: object) => {
      const { status, body } = await owner.post<{ errors: { path: string }[] }>(path, values);
      return [status, ...body.errors.map((fault) => fault.path).toSorted()];
    };
    expect(await faultsOf({})).toEqual([422, 'deviceLimit', 'expiresAt']);
    expect(await faultsOf({ deviceLimit: 0, expiresAt: soon() })).toEqual([422, 'deviceLimit']);
    const past = { deviceLimit: 1, expiresAt: '2020-01-01T00:00:00.000Z' };
    expect(await faultsOf(past)).toEqual([422, 'expiresAt']);
  });

  it("appears in its product's list without the secret, and returns 404 when revoked below another product", async () => {
    const { id, token, actor } = await provisioning();
    await register(actor);
    const { body } = await owner.get<object[]>(`${path}?limit=1000`);
    expect(body).toContainEqual(
      expect.objectContaining({ id, productId: product, deviceCount: 1, lastUsedAt: expect.any(String) }),
    );
    expect(JSON.stringify(body)).not.toContain(token);
    const listed = await owner.graph(
      'query ($o: ID!) { apiTokens(organizationId: $o, limit: 1000) { items { id productId } } }',
      { o: owner.id },
    );
    expect(listed.body.data!['apiTokens'].items.map((each: { id: string }) => each.id)).not.toContain(id);
    const other = await newProduct(owner);
    expect((await owner.delete(`/products/${owner.id}/${other}/provisioning-tokens/${id}`)).status).toBe(404);
    expect((await register(actor)).status).toBe(200);
  });
});
