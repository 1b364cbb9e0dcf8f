import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { Actor } from '../support/actor.js';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

interface Command {
  id: string;
  state: string;
  code?: string;
  payload?: string;
  parameters?: object;
  detail?: unknown;
}

let owner: AccountActor;
let productId: string;
let count = 0;

const declared = `mutation ($o: ID!, $p: ID!, $s: ProductSettingsInput!) {
  putProductSettings(organizationId: $o, productId: $p, settings: $s) { settings { commands { name streamType } state { name type } } } }`;
const settings = {
  commands: [
    {
      name: 'setPoint',
      parameters: [
        { name: 'celsius', type: 'FLOAT32', unit: '°C' },
        { name: 'boost', type: 'BOOL' },
      ],
      streamId: 10,
      streamType: 'BIN',
      confirmed: true,
    },
    { name: 'unlock', parameters: [{ name: 'pin', type: 'TXT' }], secret: true },
  ],
  state: [{ name: 'setPoint', type: 'FLOAT32', unit: '°C' }],
};

const put = (s: object) => owner.graph(declared, { o: owner.id, p: productId, s });

beforeAll(async () => {
  owner = await world.organization();
  productId = await owner.make(`/organizations/${owner.id}/products`, {
    name: 'Cooler',
    version: '1',
    variables: [{ name: 'temperature', type: 'FLOAT32' }],
  });
  expect((await put(settings)).body.errors).toBeUndefined();
});

/** Creates a device of the product with a token, and an actor that uses the token. */
async function newDevice() {
  const id = await owner.make(`/organizations/${owner.id}/devices/c0-${String(++count).padStart(4, '0')}`, {
    product: { id: productId },
  });
  const path = `/devices/${owner.id}/${id}`;
  const { body } = await owner.post<{ token: string; apiToken: { id: string } }>(`${path}/tokens`);
  return { id, path, tokenId: body.apiToken.id, self: new Actor(world.url, body.token) };
}

const send = (path: string, body: object, who: Actor = owner) => who.post<Command>(`${path}/commands`, body);
const take = async (self: Actor, path: string, query = '') =>
  (await self.get<{ commands: Command[] }>(`${path}/commands${query}`)).body.commands;
const find = async (id: string) => (await owner.get<Command>(`/organizations/${owner.id}/commands/${id}`)).body;
const evidenceOf = async (id: string) =>
  (
    await owner.get<{ evidence: { kind: string; source: string; code?: string }[] }>(
      `/organizations/${owner.id}/commands/${id}/evidence`,
    )
  ).body.evidence.map(({ kind, source, code }) => [source, kind, ...(code === undefined ? [] : [code])].join(' '));

describe('a command', () => {
  it('waits, is handed to its device once, and ends with the answer of the device', async () => {
    const { path, self } = await newDevice();
    const { status, body } = await send(path, { name: 'setPoint', parameters: { celsius: 21.5, boost: true } });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { name: 'setPoint', state: 'waiting', confirmed: true, payload: '0441ac00000801', streamId: 10 },
    });
    const [given] = await take(self, path);
    expect(given).toMatchObject({
      id: body.id,
      name: 'setPoint',
      parameters: { celsius: 21.5, boost: true },
      payload: '0441ac00000801',
      streamId: 10,
    });
    expect(await take(self, path)).toEqual([]);
    expect((await find(body.id)).state).toBe('handed');
    expect((await self.post(`${path}/commands/${body.id}/result`, { result: { was: 19 } })).status).toBe(200);
    expect((await self.post(`${path}/commands/${body.id}/result`, { error: 'late' })).status).toBe(200);
    expect(await find(body.id)).toMatchObject({ state: 'answered', detail: { result: { was: 19 } } });
    expect(await evidenceOf(body.id)).toEqual(['service handed', 'device answered', 'device answered DEVICE_ERROR']);
  });

  it('hands commands over in the order of sending, and the next ones only after an answer', async () => {
    const { path, self } = await newDevice();
    const ids: string[] = [];
    for (const payload of ['01', '02', '03']) ids.push((await send(path, { name: 'raw', payload })).body.id);
    expect((await take(self, path, '?limit=2')).map(({ payload }) => payload)).toEqual(['01', '02']);
    expect(await take(self, path)).toEqual([]);
    for (const id of ids.slice(0, 2)) await self.post(`${path}/commands/${id}/result`, {});
    expect((await take(self, path)).map(({ payload }) => payload)).toEqual(['03']);
  });

  it('hands each command to one of several calls at once', async () => {
    const { path, self } = await newDevice();
    for (const payload of ['01', '02']) await send(path, { name: 'raw', payload });
    const given = await Promise.all(Array.from({ length: 6 }, () => take(self, path)));
    expect(given.flat().map(({ payload }) => payload)).toEqual(['01', '02']);
  });

  it('ends the wait of its device', async () => {
    const { path, self } = await newDevice();
    const waiting = take(self, path, '?wait=60');
    const { body } = await send(path, { name: 'raw', payload: 'ff' });
    expect(await waiting).toMatchObject([{ id: body.id }]);
  });

  it('hands nothing over by HEAD', async () => {
    const { path, self } = await newDevice();
    const { body } = await send(path, { name: 'raw', payload: 'ff' });
    expect((await self.request('HEAD', `${path}/commands?wait=60`)).status).toBe(200);
    expect((await find(body.id)).state).toBe('waiting');
  });

  it('expires when nothing took it, and is unknown when it was taken and not answered', async () => {
    const [off, mute] = [await newDevice(), await newDevice()];
    const expiresAt = Date.now() / 1000 + 1.5;
    const [one, other] = [
      (await send(off.path, { name: 'raw', payload: '01', expiresAt })).body.id,
      (await send(mute.path, { name: 'raw', payload: '01', expiresAt })).body.id,
    ];
    expect(await take(mute.self, mute.path)).toHaveLength(1);
    await until(async () => (await find(other)).state === 'unknown' && (await find(one)).state === 'expired');
    expect(await find(other)).toMatchObject({ code: 'NO_ANSWER' });
    expect(await take(off.self, off.path)).toEqual([]);
    await mute.self.post(`${mute.path}/commands/${other}/result`, { result: 'at last' });
    expect(await find(other)).toMatchObject({ state: 'answered', detail: { result: 'at last' } });
    expect(await evidenceOf(other)).toEqual(['service handed', 'service unknown NO_ANSWER', 'device answered']);
  });

  it('takes the same key for the same command, and refuses it with other content', async () => {
    const { path } = await newDevice();
    const first = await send(path, { name: 'raw', payload: '01', key: 'night' });
    expect((await send(path, { name: 'raw', payload: '01', key: 'night' })).body.id).toBe(first.body.id);
    expect(await send(path, { name: 'raw', payload: '02', key: 'night' })).toMatchObject({ status: 409 });
    const other = await newDevice();
    expect((await send(other.path, { name: 'raw', payload: '02', key: 'night' })).status).toBe(200);
  });

  it('cancels a command, and shows if the device acts on it after that', async () => {
    const { path, self } = await newDevice();
    const ids = [
      (await send(path, { name: 'raw', payload: '01' })).body.id,
      (await send(path, { name: 'raw', payload: '02' })).body.id,
    ];
    expect((await owner.post(`${path}/commands/cancel`, { ids: [ids[1]] })).body).toEqual({ count: 1 });
    expect(await take(self, path)).toHaveLength(1);
    expect((await owner.post(`${path}/commands/cancel`)).body).toEqual({ count: 1 });
    expect((await find(ids[0]!)).state).toBe('cancelled');
    await self.post(`${path}/commands/${ids[0]}/result`, {});
    expect((await find(ids[0]!)).state).toBe('answered');
  });

  it('ends with a reason when its device is deleted, gets another product, or loses its last token', async () => {
    const [deleted, moved, revoked] = [await newDevice(), await newDevice(), await newDevice()];
    const sent = { name: 'setPoint', parameters: { celsius: 1, boost: false } };
    const ids = await Promise.all([deleted, moved, revoked].map(async ({ path }) => (await send(path, sent)).body.id));
    const raw = (await send(moved.path, { name: 'raw', payload: '01' })).body.id;
    expect((await owner.delete(deleted.path)).status).toBe(204);
    expect((await owner.put(moved.path, { product: null })).status).toBe(200);
    expect((await owner.delete(`${revoked.path}/tokens/${revoked.tokenId}`)).status).toBe(204);
    expect(await Promise.all(ids.map(async (id) => (await find(id)).code))).toEqual([
      'DEVICE_DELETED',
      'PRODUCT_CHANGED',
      'TOKEN_REVOKED',
    ]);
    expect((await find(raw)).state).toBe('waiting');
  });

  it('refuses a command with the places of its faults', async () => {
    const { path, self } = await newDevice();
    const faults = async (body: object) =>
      (await owner.post<{ errors: { path: string }[] }>(`${path}/commands`, body)).body.errors.map((each) => each.path);
    expect(await faults({ name: 'dance' })).toEqual(['name']);
    expect(await faults({ name: 'setPoint', parameters: { celsius: 'warm', turbo: 1 } })).toEqual([
      'parameters.turbo',
      'parameters.celsius',
      'parameters.boost',
    ]);
    expect(await faults({ name: 'setPoint', payload: '01', streamId: 1 })).toEqual([
      'parameters.celsius',
      'parameters.boost',
      'payload',
      'streamId',
    ]);
    expect(await faults({ name: 'raw' })).toEqual(['payload']);
    expect(await faults({ name: 'raw', payload: '0x1' })).toEqual(['payload']);
    expect(await faults({ name: 'raw', payload: '01', expiresAt: 1 })).toEqual(['expiresAt']);
    expect((await self.post(`${path}/commands/${owner.id}/result`, {})).status).toBe(404);
    expect((await self.post(`${path}/commands/x/result`, {})).status).toBe(404);
  });

  it('refuses a command when a thousand wait for the device', async () => {
    const { id, path } = await newDevice();
    await world.pool.query(
      `insert into command (id, organization_id, device_id, name, confirmed, secret, expires_at)
       select gen_random_uuid(), $1, $2, 'raw', false, false, now() + interval '1 day' from generate_series(1, 1000)`,
      [owner.id, id],
    );
    expect(await send(path, { name: 'raw', payload: '01' })).toMatchObject({ status: 409 });
  });

  it('shows the content of a secret one only to those who may send it', async () => {
    const { id, path } = await newDevice();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Doors' });
    await owner.put(`/applications/${owner.id}/${applicationId}/devices/${id}`);
    const member = await world.member(owner, Role.member);
    const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Guards' });
    await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
    const grant = (permission: string) =>
      owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission });
    await grant('read');
    const { body } = await send(path, { name: 'unlock', parameters: { pin: '4711' } });
    const read = async () =>
      (await member.get<Command>(`/organizations/${owner.id}/commands/${body.id}`)).body.parameters;
    expect(await read()).toBeUndefined();
    expect(await send(path, { name: 'unlock', parameters: { pin: '1' } }, member)).toMatchObject({ status: 403 });
    await grant('write');
    expect(await read()).toEqual({ pin: '4711' });
    expect(await send(path, { name: 'unlock', parameters: { pin: '1' } }, member)).toMatchObject({ status: 200 });
    const audit = await owner.get(`/organizations/${owner.id}/audit?limit=100`);
    expect(JSON.stringify(audit.body)).not.toContain('4711');
  });

  it('refuses calls that wait for a device beyond four, and leaves the rest of the organization alone', async () => {
    const { path, self } = await newDevice();
    const left = new AbortController();
    const headers = { authorization: `Bearer ${self.token}` };
    const waiting = Array.from({ length: 5 }, () =>
      fetch(`${self.base}${path}/commands?wait=60`, { headers, signal: left.signal }),
    );
    const ended = Promise.allSettled(waiting);
    expect((await Promise.race(waiting)).status).toBe(429);
    expect((await owner.get('/account')).status).toBe(200);
    left.abort();
    expect((await ended).filter(({ status }) => status === 'rejected')).toHaveLength(4);
    // The places of those that have gone are free again.
    await until(async () => {
      const again = await Promise.all(Array.from({ length: 4 }, () => self.get(`${path}/commands?wait=1`)));
      return again.every(({ status }) => status === 200);
    });
    const next = take(self, path, '?wait=60');
    await send(path, { name: 'raw', payload: '01' });
    expect(await next).toHaveLength(1);
  });
});

describe('commands that a product declares', () => {
  it('refuses declarations with the places of their faults, and keeps them when the variables change', async () => {
    const faultsOf = async (s: object) =>
      (await put(s)).body.errors?.[0]?.extensions.errors?.map(({ path }: { path: string }) => path);
    const of = (...commands: object[]) => faultsOf({ commands });
    expect(await of({ name: 'raw' })).toEqual(['settings.commands.0.name']);
    expect(await of({ name: 'a' }, { name: 'a' })).toEqual(['settings.commands.1.name']);
    expect(await of({ name: 'a', streamId: 1 })).toEqual(['settings.commands.0.streamType']);
    const text = { name: 'a', type: 'TXT' };
    expect(await of({ name: 'a', parameters: [text, text] })).toEqual(['settings.commands.0.parameters.1.name']);
    expect(
      await of({ name: 'a', streamId: 1, streamType: 'RAW', parameters: [text, { name: 'b', type: 'BOOL' }] }),
    ).toEqual(['settings.commands.0.parameters.0.type']);
    expect(await faultsOf({ state: [text, text] })).toEqual(['settings.state.1.name']);
    await owner.put(`/products/${owner.id}/${productId}`, { name: 'Cooler', version: '2', variables: [] });
    const { path } = await newDevice();
    expect((await send(path, { name: 'setPoint', parameters: { celsius: 1, boost: false } })).status).toBe(200);
  });
});
