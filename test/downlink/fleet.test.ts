import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

interface Batch {
  matched: number;
  changed: number;
  blocked: number;
  job?: { id: string };
}

let owner: AccountActor;
let at: string;
const products: Record<string, string> = {};
const devices: Record<string, string> = {};

beforeAll(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
  const level = { name: 'level', type: 'UINT8' };
  const declared = {
    lamp: [{ name: 'dim', parameters: [level], streamId: 2, streamType: 'RAW' }],
    sign: [{ name: 'dim', parameters: [level, { name: 'fade', type: 'BOOL' }] }],
    meter: [],
  };
  for (const [name, commands] of Object.entries(declared)) {
    products[name] = await owner.make(`${at}/products`, { name, version: '1', variables: [] });
    const { body } = await owner.graph(
      `mutation ($o: ID!, $p: ID!, $s: ProductSettingsInput!) { putProductSettings(organizationId: $o, productId: $p, settings: $s) { id } }`,
      { o: owner.id, p: products[name], s: { commands } },
    );
    expect(body.errors).toBeUndefined();
  }
  for (const [index, [name, product, tag]] of [
    ['lamp 1', 'lamp', 'roof'],
    ['lamp 2', 'lamp', 'roof'],
    ['sign', 'sign', 'door'],
    ['meter', 'meter', 'cellar'],
  ].entries())
    devices[name!] = await owner.make(`${at}/devices/f1-0${index}`, {
      name,
      tags: [tag],
      product: { id: products[product!] },
    });
});

const send = (body: object) => owner.post<Batch & { errors?: { path: string }[] }>(`${at}/commands`, body);
const dim = (values: object, parameters: object = { level: 7 }) => send({ name: 'dim', parameters, ...values });

describe('a command to many devices', () => {
  it('reaches each once by its key, which finds and counts them', async () => {
    const roof = { filter: { tag: 'roof' }, key: 'dusk' };
    expect((await dim({ ...roof, dryRun: true })).body).toEqual({ matched: 2, changed: 2, blocked: 0 });
    expect((await owner.get(`${at}/commands?key=dusk`)).body).toEqual([]);
    expect((await dim(roof)).body).toEqual({ matched: 2, changed: 2, blocked: 0 });
    expect((await dim(roof)).body).toEqual({ matched: 2, changed: 0, blocked: 0 });
    const sent = await owner.get<{ deviceId: string; payload: string; streamId: number }[]>(`${at}/commands?key=dusk`);
    expect(sent.body).toMatchObject([
      { deviceId: devices['lamp 2'], payload: '07', streamId: 2, parameters: { level: 7 }, state: 'waiting' },
      { deviceId: devices['lamp 1'], payload: '07' },
    ]);
    const path = `/devices/${owner.id}/${devices['lamp 1']}`;
    const { commands } = (await owner.get<{ commands: { id: string }[] }>(`${path}/commands`)).body;
    await owner.post(`${path}/commands/${commands[0]!.id}/result`, {});
    const counted = await owner.get(`${at}/commands?key=dusk&state=answered`);
    expect(counted.headers.get('x-total-count')).toBe('1');
  });

  it('takes the parameters of each product, and is blocked by devices that cannot get it', async () => {
    const both = { deviceIds: [devices['lamp 1'], devices['sign']] };
    expect((await dim({ ...both, dryRun: true })).body).toEqual({ matched: 2, changed: 2, blocked: 1 });
    expect(await dim(both)).toMatchObject({ status: 422, body: { errors: [{ path: 'name' }] } });
    expect((await dim({ deviceIds: [devices['sign']] }, { level: 7, fade: true })).body).toMatchObject({ changed: 1 });
    expect(await dim({ deviceIds: [devices['sign']] }, { brightness: 1 })).toMatchObject({ status: 422 });
    expect(await send({ name: 'dance', filter: {} })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'name' }] },
    });
    expect((await send({ name: 'raw', payload: '01', filter: {} })).body).toMatchObject({ matched: 4, changed: 4 });
  });

  it('takes the permission to write on an application of each device', async () => {
    const applicationId = await owner.make(`${at}/applications`, { name: 'Lights' });
    for (const name of ['lamp 1', 'lamp 2'])
      await owner.put(`/applications/${owner.id}/${applicationId}/devices/${devices[name]}`);
    const member = await world.member(owner, Role.member);
    const teamId = await owner.make(`${at}/teams`, { name: 'Night' });
    await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
    const grant = (permission: string) =>
      owner.put(`/teams/${owner.id}/${teamId}/applications/${applicationId}`, { permission });
    const ask = (deviceIds: (string | undefined)[]) =>
      member.post(`${at}/commands`, { name: 'raw', payload: '01', deviceIds });
    expect((await ask([devices['lamp 1']])).status).toBe(404);
    await grant('read');
    expect((await ask([devices['lamp 1']])).status).toBe(403);
    await grant('write');
    expect(await ask([devices['lamp 1']])).toMatchObject({ status: 200, body: { changed: 1 } });
    expect((await ask([devices['lamp 1'], devices['sign']])).status).toBe(404);
    expect(await member.post(`${at}/commands`, { name: 'raw', payload: '01', filter: {} })).toMatchObject({
      status: 200,
      body: { matched: 2 },
    });
  });

  it('refuses a member who may not send to one of more than a thousand, in a dry run too', async () => {
    const many = await world.organization();
    const path = `/organizations/${many.id}`;
    await world.pool.query(
      `insert into device (id, organization_id, serial, serial_key, slug, tags, created_at, updated_at)
       select gen_random_uuid(), $1, 'ad' || lpad(n::text, 6, '0'), 'ad' || lpad(n::text, 6, '0'), 's',
              case when n > 10 then '{mine}' else '{}' end::text[], now(), now()
         from generate_series(1, 1100) n`,
      [many.id],
    );
    const [read, write] = [
      await many.make(`${path}/applications`, { name: 'Read' }),
      await many.make(`${path}/applications`, { name: 'Write' }),
    ];
    await world.pool.query(
      `insert into application_device (organization_id, application_id, device_id)
       select organization_id, a.id, d.id from device d cross join unnest($2::uuid[]) a (id)
        where organization_id = $1 and (a.id = $3 or tags = '{mine}') on conflict do nothing`,
      [many.id, [read, write], read],
    );
    const member = await world.member(many, Role.member);
    const teamId = await many.make(`${path}/teams`, { name: 'Night' });
    await many.put(`/teams/${many.id}/${teamId}/members/${member.id}`);
    for (const [id, permission] of [
      [read, 'read'],
      [write, 'write'],
    ] as const)
      await many.put(`/teams/${many.id}/${teamId}/applications/${id}`, { permission });
    const ask = (filter: object) =>
      member.post<Batch>(`${path}/commands`, { name: 'raw', payload: '01', filter, dryRun: true });
    expect(await ask({})).toMatchObject({ status: 403, body: { message: expect.stringContaining('for 10 of these') } });
    expect((await ask({ tag: 'mine' })).body).toEqual({ matched: 1090, changed: 1090, blocked: 0 });
  });

  it('reaches more than a thousand by a job', async () => {
    const many = await world.organization();
    await world.pool.query(
      `insert into device (id, organization_id, serial, serial_key, slug, tags, created_at, updated_at)
       select gen_random_uuid(), $1, 'ab' || lpad(n::text, 6, '0'), 'ab' || lpad(n::text, 6, '0'), 's', '{}', now(), now()
         from generate_series(1, 1100) n`,
      [many.id],
    );
    const path = `/organizations/${many.id}`;
    const { body } = await many.post<Batch>(`${path}/commands`, { name: 'raw', payload: '01', filter: {}, key: 'all' });
    expect(body).toMatchObject({ matched: 1100, job: { kind: 'sendCommands' } });
    await until(async () => (await many.get<{ state: string }>(`${path}/jobs/${body.job!.id}`)).body.state === 'done');
    const { headers } = await many.get(`${path}/commands?key=all&limit=1`);
    expect(headers.get('x-total-count')).toBe('1100');
  });
});
