import { beforeAll, describe, expect, it } from '@jest/globals';
import { Actor } from '../support/actor.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

interface NewToken {
  token: string;
  apiToken: { id: string; name: string | null; deviceId: string; scope: string };
}

let owner: AccountActor;
let count = 0;
beforeAll(async () => {
  owner = await world.organization();
});

/** Creates a device with a token, and an actor that uses the token. */
async function deviceWithToken(values: object = {}) {
  const serial = `d0-${String(++count).padStart(4, '0')}`;
  const id = await owner.make(`/organizations/${owner.id}/devices/${serial}`);
  const path = `/devices/${owner.id}/${id}`;
  const { status, body } = await owner.post<NewToken>(`${path}/tokens`, values);
  expect(status).toBe(200);
  return { id, serial, path, token: body, actor: new Actor(world.url, body.token) };
}

const recordsOf = async (deviceId: string) =>
  (
    await owner.graph(
      'query ($o: ID!, $d: ID!) { device(organizationId: $o, deviceId: $d) { records { items { data } } } }',
      {
        o: owner.id,
        d: deviceId,
      },
    )
  ).body.data!['device'].records.items;

describe('device token', () => {
  it('posts records without a serial, as one object, as a list and as NDJSON', async () => {
    const { id, serial, path, actor } = await deviceWithToken();
    expect((await actor.post(`${path}/records`, { data: { a: 1 } })).body).toMatchObject({ accepted: 1, rejected: 0 });
    const list = [
      { data: { a: 2 } },
      { serial: serial.toUpperCase(), data: { a: 3 } },
      { deviceId: id, data: { a: 4 } },
    ];
    expect((await actor.post(`${path}/records`, list)).body).toMatchObject({ accepted: 3, rejected: 0 });
    const lines = await actor.request('POST', `${path}/records`, {
      headers: { 'content-type': 'application/x-ndjson' },
      body: '{"data":{"a":5}}\n{"data":{"a":6}}\n',
    });
    expect(lines.body).toMatchObject({ accepted: 2 });
    const stored = (await recordsOf(id)).map(({ data }: { data: { a: number } }) => data.a);
    expect(stored.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("returns 404 for another device's address, and rejects records that name another device", async () => {
    const { path, actor } = await deviceWithToken();
    const other = await deviceWithToken();
    expect((await actor.post(`${other.path}/records`, { data: { a: 1 } })).status).toBe(404);
    const items = [
      { serial: other.serial, data: { a: 1 } },
      { deviceId: other.id, data: { a: 1 } },
      { data: { a: 1 } },
    ];
    expect((await actor.post(`${path}/records`, items)).body).toMatchObject({
      accepted: 1,
      rejected: 2,
      results: [0, 1].map((index) => ({
        index,
        error: {
          code: 'VALIDATION_FAILED',
          message: 'This address takes records of one device, and the record names another.',
        },
      })),
    });
    expect(await recordsOf(other.id)).toEqual([]);
  });

  it('returns 403 for everything else', async () => {
    const { serial, path, actor } = await deviceWithToken();
    const calls = [
      await actor.post(`/organizations/${owner.id}/records`, { serial, data: { a: 1 } }),
      await actor.get(path),
      await actor.post(`${path}/tokens`),
      await actor.get('/account'),
    ];
    for (const { status, body } of calls) {
      expect({ status, body }).toMatchObject({
        status: 403,
        body: { message: expect.stringMatching(/^This token may only speak for its device/) },
      });
    }
  });

  it('stores a repeated call once by its idempotency key, which tokens of other devices do not share', async () => {
    const { id, path, actor } = await deviceWithToken();
    const other = await deviceWithToken();
    const once = (who: Actor, at: string) =>
      who.request('POST', `${at}/records`, { headers: { 'idempotency-key': 'once' }, body: { data: { a: 1 } } });
    for (const _time of [1, 2]) expect((await once(actor, path)).body).toMatchObject({ accepted: 1 });
    expect((await once(other.actor, other.path)).body).toMatchObject({ accepted: 1 });
    expect(await recordsOf(id)).toHaveLength(1);
    expect(await recordsOf(other.id)).toHaveLength(1);
  });

  it('returns 401 after it is revoked, expires or loses its device', async () => {
    const [revoked, deleted] = [await deviceWithToken(), await deviceWithToken()];
    const send = ({ path, actor }: typeof revoked) => actor.post(`${path}/records`, { data: { a: 1 } });
    for (const one of [revoked, deleted]) expect((await send(one)).status).toBe(200);
    expect((await owner.delete(`${revoked.path}/tokens/${revoked.token.apiToken.id}`)).status).toBe(204);
    expect((await send(revoked)).status).toBe(401);
    expect((await owner.delete(deleted.path)).status).toBe(204);
    expect((await send(deleted)).status).toBe(401);
    const { path } = await deviceWithToken();
    expect((await owner.post(`${path}/tokens`, { expiresAt: '2020-01-01T00:00:00.000Z' })).body).toMatchObject({
      errors: [{ path: 'expiresAt', message: 'must be in the future' }],
    });
  });
});

describe('tokens of a device', () => {
  it("lists tokens with their last use but without the secret, and keeps them out of the organization's list", async () => {
    const { id, path, token, actor } = await deviceWithToken({ name: 'Firmware 2' });
    await actor.post(`${path}/records`, { data: { a: 1 } });
    const { body } = await owner.get<object[]>(`${path}/tokens`);
    expect(body).toEqual([
      expect.objectContaining({ id: token.apiToken.id, name: 'Firmware 2', deviceId: id, scope: 'ingest' }),
    ]);
    expect(body[0]).toMatchObject({ lastUsedAt: expect.any(String) });
    expect(JSON.stringify(body)).not.toContain(token.token);
    const all = 'query ($o: ID!) { apiTokens(organizationId: $o, limit: 1000) { items { deviceId } } account { id } }';
    const listed = (await owner.graph(all, { o: owner.id })).body.data!['apiTokens'].items;
    expect(listed).not.toEqual([]);
    expect(listed.filter(({ deviceId }: { deviceId: string | null }) => deviceId !== null)).toEqual([]);
  });

  it('returns 404 for revoking a token of another device', async () => {
    const [one, other] = [await deviceWithToken(), await deviceWithToken()];
    expect((await owner.delete(`${one.path}/tokens/${other.token.apiToken.id}`)).status).toBe(404);
    expect((await other.actor.post(`${other.path}/records`, { data: { a: 1 } })).status).toBe(200);
  });
});
