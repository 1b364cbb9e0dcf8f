import { beforeEach, describe, expect, it } from '@jest/globals';
import type { GraphAnswer } from '../support/actor.js';
import { until } from '../support/until.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let at: string;
let productId: string;
let applicationId: string;

beforeEach(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
  productId = await owner.make(`${at}/products`, { name: 'Thermometer', version: '1', variables: [] });
  applicationId = await owner.make(`${at}/applications`, { name: 'Field' });
});

const document = `mutation ($o: ID!, $devices: [DeviceInput!]!, $linkTo: [ID!], $dryRun: Boolean) {
  putDevices(organizationId: $o, devices: $devices, linkTo: $linkTo, dryRun: $dryRun) {
    created updated unchanged failed results { index status id error { code message errors { path } } } } }`;

interface Answer {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  results: { index: number; status: string; id: string | null; error: { code: string; errors: { path: string }[] } }[];
}

const call = async (devices: object[], options: object = {}, caller: AccountActor = owner): Promise<GraphAnswer> =>
  (await caller.graph(document, { o: owner.id, devices, ...options })).body;

async function put(devices: object[], options: object = {}): Promise<Answer> {
  const { data, errors } = await call(devices, options);
  expect(errors).toBeUndefined();
  return data!['putDevices'] as Answer;
}

const statuses = ({ results }: Answer) => results.map(({ status }) => status);

const devices = async () =>
  (await owner.get<{ serial: string }[]>(`${at}/devices?limit=100&sort=serial`)).body.map(({ serial }) => serial);

describe('putDevices', () => {
  it('reports in order which devices it registered, changed and left unchanged', async () => {
    const id = await owner.make(`${at}/devices/A0-01`, { name: 'Old', tags: ['roof'], location: { lat: 1, lon: 2 } });
    await owner.make(`${at}/devices/a0-02`, { name: 'Same' });
    const name = `Quote " ' \\ line\nbreak ? :name`;
    const answer = await put([
      { serial: 'a0-03', name, tags: ['a"b', 'c\\d'], product: { id: productId }, location: { lat: 59.8, lon: 17.6 } },
      { serial: 'a001', name: null, tags: ['cellar'] },
      { serial: 'a0-02', name: 'Same' },
    ]);
    expect(answer).toMatchObject({ created: 1, updated: 1, unchanged: 1, failed: 0 });
    expect(statuses(answer)).toEqual(['created', 'updated', 'unchanged']);
    const created = await owner.get(`/devices/${owner.id}/${answer.results[0]!.id}`);
    expect(created.body).toMatchObject({
      serial: 'a0-03',
      name,
      tags: ['a"b', 'c\\d'],
      product: { id: productId },
      location: { lat: 59.8, lon: 17.6 },
    });
    const changed = (await owner.get<object>(`/devices/${owner.id}/${id}`)).body;
    expect(changed).toMatchObject({ serial: 'A0-01', tags: ['cellar'], location: { lat: 1, lon: 2 }, slug: 'a0-01' });
    expect(changed).not.toHaveProperty('name');
  });

  it('changes nothing when the same call is sent again', async () => {
    const sent = [{ serial: 'a0-01', name: 'One', product: { id: productId } }, { serial: 'a0-02' }];
    expect(statuses(await put(sent, { linkTo: [applicationId] }))).toEqual(['created', 'created']);
    const before = await world.pool.query('select * from device where organization_id = $1 order by id', [owner.id]);
    expect(statuses(await put(sent, { linkTo: [applicationId] }))).toEqual(['unchanged', 'unchanged']);
    const after = await world.pool.query('select * from device where organization_id = $1 order by id', [owner.id]);
    expect(after.rows).toEqual(before.rows);
  });

  it('links every device to the applications, and counts a new link as a change', async () => {
    await put([{ serial: 'a0-01' }]);
    const answer = await put([{ serial: 'a0-01' }, { serial: 'a0-02' }], { linkTo: [applicationId] });
    expect(statuses(answer)).toEqual(['updated', 'created']);
    const linked = await owner.get<object[]>(`/applications/${owner.id}/${applicationId}/devices`);
    expect(linked.body).toHaveLength(2);
  });

  it('stores the good items beside those at fault, each with its code and path', async () => {
    const foreign = await world.organization();
    const theirs = await foreign.make(`/organizations/${foreign.id}/products`, {
      name: 'Theirs',
      version: '1',
      variables: [],
    });
    const answer = await put([
      { serial: 'not hexadecimal' },
      { serial: 'a0-01', location: { lat: 91, lon: 0 } },
      { serial: 'a0-02' },
      { serial: 'A002', name: 'Again' },
      { serial: 'a0-03', product: { id: theirs } },
      { serial: 'a0-04', product: { id: productId, organizationId: foreign.id } },
      { serial: 'a0-05', name: 'nul \u0000' },
      { serial: 'a0-06', tags: Array.from({ length: 51 }, (_, index) => `t${index}`) },
      { serial: 'a0-07', product: { id: productId } },
    ]);
    expect(answer.results.map(({ status, error }) => [status, error?.code, error?.errors[0]?.path])).toEqual([
      ['failed', 'VALIDATION_FAILED', 'serial'],
      ['failed', 'VALIDATION_FAILED', 'location.lat'],
      ['created', undefined, undefined],
      ['failed', 'CONFLICT', 'serial'],
      ['failed', 'NOT_FOUND', 'product'],
      ['failed', 'NOT_FOUND', 'product'],
      ['failed', 'VALIDATION_FAILED', 'name'],
      ['failed', 'VALIDATION_FAILED', 'tags'],
      ['created', undefined, undefined],
    ]);
    expect(await devices()).toEqual(['a0-02', 'a0-07']);
  });

  it('says with a dry run what it would do, and changes nothing', async () => {
    await put([{ serial: 'a0-01' }]);
    const sent = [{ serial: 'a0-01', name: 'New' }, { serial: 'a0-02' }, { serial: 'x' }];
    const answer = await put(sent, { dryRun: true, linkTo: [applicationId] });
    expect(statuses(answer)).toEqual(['updated', 'created', 'failed']);
    expect(answer.results[1]!.id).toBeNull();
    expect(await devices()).toEqual(['a0-01']);
    expect(statuses(await put(sent, { linkTo: [applicationId] }))).toEqual(statuses(answer));
  });

  it('registers as many devices as the quota has room for', async () => {
    await put([{ serial: 'a0-01' }]);
    await world.pool.query('insert into quota (organization_id, devices) values ($1, 2)', [owner.id]);
    const answer = await put([{ serial: 'a0-02' }, { serial: 'a0-03' }, { serial: 'a0-01', name: 'New' }]);
    expect(statuses(answer)).toEqual(['created', 'failed', 'updated']);
    expect(answer.results[1]!.error.code).toBe('FORBIDDEN');
    expect(await devices()).toEqual(['a0-01', 'a0-02']);
  });

  it('registers each device once when calls with the same serials come at once', async () => {
    const sent = Array.from({ length: 50 }, (_, index) => ({ serial: (4096 + index).toString(16) }));
    const answers = await Promise.all([sent, sent.toReversed(), sent].map((each) => put(each)));
    expect(answers.reduce((sum, { created }) => sum + created, 0)).toBe(50);
    expect(answers.every(({ failed }) => failed === 0)).toBe(true);
    expect(await devices()).toHaveLength(50);
  });

  it('takes 1,000 devices and refuses more', async () => {
    const sent = Array.from({ length: 1001 }, (_, index) => ({ serial: (4096 + index).toString(16), tags: ['many'] }));
    const { errors } = await call(sent);
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'devices' }] } }]);
    expect(await put(sent.slice(1), { linkTo: [applicationId] })).toMatchObject({ created: 1000, failed: 0 });
  });

  it('calls hooks for registered devices', async () => {
    await world.pool.query(
      `insert into hook (id, organization_id, application_id, url, events, created_at, updated_at)
       values (gen_random_uuid(), $1, $2, 'http://127.0.0.1:9/', '{device.registered}', now(), now())`,
      [owner.id, applicationId],
    );
    await put([{ serial: 'a0-01' }, { serial: 'a0-02' }]);
    const delivered = async () =>
      (await world.pool.query('select from delivery where organization_id = $1', [owner.id])).rows.length;
    await until(async () => (await delivered()) >= 2);
    expect(await delivered()).toBe(2);
  });

  it('refuses an application of another organization as a whole', async () => {
    const foreign = await world.organization();
    const theirs = await foreign.make(`/organizations/${foreign.id}/applications`, { name: 'Theirs' });
    for (const each of [theirs, 'none'])
      expect(await call([{ serial: 'a0-01' }], { linkTo: [each] })).toMatchObject({
        errors: [{ extensions: { code: 'NOT_FOUND' } }],
      });
    expect(await devices()).toEqual([]);
  });
});
