import { beforeEach, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import type { GraphAnswer } from '../support/actor.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
const nobody = '00000000-0000-7000-8000-000000000000';
let owner: AccountActor;
let at: string;
let applicationId: string;
let devices: string[];

/** Creates the devices `a0-01` to `a0-03`; the first one is linked and tagged. */
beforeEach(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
  applicationId = await owner.make(`${at}/applications`, { name: 'Field' });
  devices = [
    await owner.make(`${at}/devices/a0-01`, { tags: ['roof', 'old'] }),
    await owner.make(`${at}/devices/a0-02`, { tags: ['cellar'] }),
    await owner.make(`${at}/devices/a0-03`),
  ];
  await owner.put(`/applications/${owner.id}/${applicationId}/devices/${devices[0]}`);
});

interface Batch {
  matched: number;
  changed: number;
  blocked: number;
  job: { id: string; kind: string; total: number | null } | null;
}

const mutation = (name: string) => {
  const [extra, passed] =
    name.includes('tag') || name.includes('Tag')
      ? [', $tags: [String!]!', ', tags: $tags']
      : name.includes('ink')
        ? [', $a: ID!', ', applicationId: $a']
        : ['', ''];
  return `mutation ($o: ID!, $deviceIds: [ID!], $serials: [Serial!], $q: String, $filter: DeviceFilterInput, $dryRun: Boolean${extra}) {
    result: ${name}(organizationId: $o, deviceIds: $deviceIds, serials: $serials, q: $q, filter: $filter, dryRun: $dryRun${passed}) {
      matched changed blocked job { id kind total } } }`;
};

const call = async (name: string, variables: object, caller: AccountActor = owner): Promise<GraphAnswer> =>
  (await caller.graph(mutation(name), { o: owner.id, a: applicationId, tags: ['new'], ...variables })).body;

async function change(name: string, variables: object, caller: AccountActor = owner): Promise<Batch> {
  const { data, errors } = await call(name, variables, caller);
  expect(errors).toBeUndefined();
  return data!['result'] as Batch;
}

/** Returns the tags of every device, and the serials of the linked ones. */
async function state(): Promise<[tags: Record<string, string[]>, linked: string[]]> {
  const { data } = (
    await owner.graph(
      `query ($o: ID!, $a: ID!) { devices(organizationId: $o) { items { serial tags } }
        application(organizationId: $o, applicationId: $a) { devices(sort: "serial") { items { serial } } } }`,
      { o: owner.id, a: applicationId },
    )
  ).body;
  const items = data!['devices'].items as { serial: string; tags: string[] }[];
  const linked = data!['application'].devices.items as { serial: string }[];
  return [Object.fromEntries(items.map(({ serial, tags }) => [serial, tags])), linked.map(({ serial }) => serial)];
}

const roof = { 'a0-01': ['roof', 'old'] };
const before = { ...roof, 'a0-02': ['cellar'], 'a0-03': [] };

describe('mutation of many devices', () => {
  it('adds tags to the named devices, without duplicates and after existing tags', async () => {
    const tags = ['new', 'old', 'new'];
    expect(await change('tagDevices', { deviceIds: devices.slice(0, 2), tags })).toEqual({
      matched: 2,
      changed: 2,
      blocked: 0,
      job: null,
    });
    expect((await state())[0]).toEqual({
      'a0-01': ['roof', 'old', 'new'],
      'a0-02': ['cellar', 'new', 'old'],
      'a0-03': [],
    });
    expect(await change('tagDevices', { deviceIds: [devices[0], devices[0]], tags })).toMatchObject({
      matched: 1,
      changed: 0,
    });
  });

  it('removes tags from all matching devices', async () => {
    expect(await change('untagDevices', { filter: { tag: 'roof' }, tags: ['roof', 'cellar'] })).toMatchObject({
      matched: 1,
      changed: 1,
    });
    expect((await state())[0]).toEqual({ ...before, 'a0-01': ['old'] });
    expect(await change('untagDevices', { filter: {}, tags: ['cellar', 'old'] })).toMatchObject({
      matched: 3,
      changed: 2,
    });
    expect((await state())[0]).toEqual({ 'a0-01': [], 'a0-02': [], 'a0-03': [] });
  });

  it('takes devices by their serials, whatever their case and dashes', async () => {
    expect(await change('deleteDevices', { serials: ['A002', 'a0-02', 'a0-03'] })).toMatchObject({ changed: 2 });
    expect((await state())[0]).toEqual(roof);
    const { errors } = await call('deleteDevices', { serials: ['a0-01', 'a0-02'] });
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    expect((await state())[0]).toEqual(roof);
  });

  it('links and unlinks the devices that match both q and the filter', async () => {
    expect(await change('linkDevices', { q: '0[12]$' })).toMatchObject({ matched: 2, changed: 1 });
    expect((await state())[1]).toEqual(['a0-01', 'a0-02']);
    expect(await change('unlinkDevices', { q: '0[23]$', filter: { applicationId } })).toMatchObject({
      matched: 1,
      changed: 1,
    });
    expect((await state())[1]).toEqual(['a0-01']);
  });

  it('deletes unlinked devices and their records', async () => {
    await owner.post(`${at}/records`, [{ serial: 'a0-02', data: { t: 1 } }]);
    expect(await change('deleteDevices', { deviceIds: devices.slice(1) })).toMatchObject({ matched: 2, changed: 2 });
    expect((await state())[0]).toEqual(roof);
    const { rows } = await world.pool.query('select from record_sweep where device_id = any($1)', [devices]);
    expect(rows).toHaveLength(2);
  });

  it('returns the counts for a dry run, and changes nothing', async () => {
    expect(await change('tagDevices', { filter: {}, tags: ['roof'], dryRun: true })).toEqual({
      matched: 3,
      changed: 2,
      blocked: 0,
      job: null,
    });
    expect(await change('linkDevices', { filter: {}, dryRun: true })).toMatchObject({ matched: 3, changed: 2 });
    expect(await change('deleteDevices', { filter: {}, dryRun: true })).toEqual({
      matched: 3,
      changed: 3,
      blocked: 1,
      job: null,
    });
    expect(await state()).toEqual([before, ['a0-01']]);
  });

  it('deletes no device when one of them is linked', async () => {
    const { errors } = await call('deleteDevices', { filter: {} });
    expect(errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
    expect((await state())[0]).toEqual(before);
  });

  it('tags no device when one of them would have more than 50 tags', async () => {
    const tags = Array.from({ length: 49 }, (_, index) => `t${index}`);
    const { errors } = await call('tagDevices', { filter: {}, tags });
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'tags' }] } }]);
    expect((await state())[0]).toEqual(before);
  });

  it('changes no device when one of the named ones does not exist or belongs to another organization', async () => {
    const other = await world.organization();
    const foreign = await other.make(`/organizations/${other.id}/devices/a0-09`);
    for (const name of ['tagDevices', 'untagDevices', 'linkDevices', 'unlinkDevices', 'deleteDevices'])
      for (const stranger of [nobody, foreign, 'none']) {
        const { errors } = await call(name, { deviceIds: [devices[1], stranger] });
        expect([name, errors]).toMatchObject([name, [{ extensions: { code: 'NOT_FOUND' } }]]);
      }
    expect(await state()).toEqual([before, ['a0-01']]);
    expect((await other.get(`/devices/${other.id}/${foreign}`)).status).toBe(200);
  });

  it.each([
    ['deviceIds', {}],
    ['deviceIds', { deviceIds: [nobody], filter: {} }],
    ['deviceIds', { deviceIds: [nobody], q: 'x' }],
    ['deviceIds', { deviceIds: [nobody], serials: ['a0'] }],
    ['serials', { serials: Array.from({ length: 1001 }, () => 'a0') }],
    ['deviceIds', { deviceIds: Array.from({ length: 1001 }, () => nobody) }],
    ['q', { q: '(' }],
    ['q', { q: '(a)\\1' }],
    ['tags', { filter: {}, tags: [] }],
    ['tags.0', { filter: {}, tags: [''] }],
    ['filter.near.lat', { filter: { near: { lat: 100, lon: 0, radius: 1 } } }],
  ])('returns VALIDATION_FAILED for an invalid %s', async (path, variables) => {
    const { errors } = await call('tagDevices', variables);
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path }] } }]);
    expect((await state())[0]).toEqual(before);
  });

  it('requires an owner, except for links, which need write access to the application and readable devices', async () => {
    const writer = await world.member(owner, Role.member);
    const team = await owner.make(`${at}/teams`, { name: 'Writers' });
    const second = await owner.make(`${at}/applications`, { name: 'Second' });
    await owner.put(`/teams/${owner.id}/${team}/members/${writer.id}`);
    await owner.put(`/teams/${owner.id}/${team}/applications/${applicationId}`, { permission: 'read' });
    await owner.put(`/teams/${owner.id}/${team}/applications/${second}`, { permission: 'write' });
    for (const name of ['tagDevices', 'untagDevices', 'deleteDevices', 'linkDevices'])
      expect(await call(name, { filter: {} }, writer)).toMatchObject({
        errors: [{ extensions: { code: 'FORBIDDEN' } }],
      });
    expect(await change('linkDevices', { a: second, filter: {} }, writer)).toMatchObject({ matched: 1, changed: 1 });
    expect(await call('linkDevices', { a: second, deviceIds: [devices[1]] }, writer)).toMatchObject({
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
    expect(await state()).toEqual([before, ['a0-01']]);
  });
});

describe('mutation of more than 1,000 devices', () => {
  beforeEach(async () => {
    await world.pool.query(
      `insert into device (id, organization_id, serial, slug, tags, created_at, updated_at)
       select gen_random_uuid(), $1, 'b' || n, 'b', '{many}', now(), now() from generate_series(1000, 3199) n`,
      [owner.id],
    );
  });

  /** Polls a job until it has ended, and returns it. */
  async function over(job: Batch['job'], caller = owner): Promise<Record<string, unknown>> {
    for (;;) {
      const { body } = await caller.get<Record<string, unknown>>(`${at}/jobs/${job!.id}`);
      if (body['state'] === 'done' || body['state'] === 'failed') return body;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  const count = async (filter: object) => (await change('tagDevices', { filter, dryRun: true })).matched;

  it('runs as a job that reports its progress and its changes', async () => {
    const result = await change('tagDevices', { filter: { tag: 'many' }, tags: ['seen'] });
    expect(result).toMatchObject({ matched: 2200, changed: 2200, job: { kind: 'tagDevices' } });
    expect(await over(result.job)).toMatchObject({ state: 'done', done: 2200, total: 2200, changed: 2200 });
    expect(await count({ tag: 'seen' })).toBe(2200);
  });

  it('reaches all matching devices, even when its changes make them stop matching', async () => {
    const { job } = await change('untagDevices', { filter: { tag: 'many' }, tags: ['many'] });
    expect(await over(job)).toMatchObject({ state: 'done', done: 2200, changed: 2200 });
    expect(await count({ tag: 'many' })).toBe(0);
  });

  it('starts no job when a device prevents it', async () => {
    const { errors } = await call('deleteDevices', { filter: {} });
    expect(errors).toMatchObject([{ message: expect.stringContaining(' 1 '), extensions: { code: 'CONFLICT' } }]);
    expect(await count({})).toBe(2203);
    const { body } = await owner.graph('{ account { jobs { totalCount } } }');
    expect(body.data?.['account'].jobs.totalCount).toBe(0);
  });

  it('deletes all matching devices', async () => {
    const { job } = await change('deleteDevices', { filter: { tag: 'many' } });
    expect(await over(job)).toMatchObject({ state: 'done', changed: 2200 });
    expect((await state())[0]).toEqual(before);
  });

  it('links and unlinks all devices', async () => {
    const linked = await change('linkDevices', { filter: {} });
    expect(linked).toMatchObject({ matched: 2203, changed: 2202 });
    expect(await over(linked.job)).toMatchObject({ state: 'done', done: 2203, changed: 2202 });
    const { job } = await change('unlinkDevices', { filter: { tag: 'many' } });
    expect(await over(job)).toMatchObject({ state: 'done', done: 2200, changed: 2200 });
    expect((await state())[1]).toEqual(['a0-01', 'a0-02', 'a0-03']);
  });

  it('stops when the caller loses the right to change devices', async () => {
    const second = await world.member(owner, Role.owner);
    await world.member(owner, Role.owner);
    // The first step of the job locks this row, so the job waits until the test releases it.
    const client = await world.pool.connect();
    await client.query('begin');
    await client.query('select from device where organization_id = $1 for update', [owner.id]);
    const { job } = await change('tagDevices', { filter: { tag: 'many' }, tags: ['seen'] }, second);
    expect((await owner.put(`${at}/members/${second.id}`, { role: 'member' })).status).toBe(204);
    await client.query('rollback');
    client.release();
    const ended = await over(job);
    // The running step finishes with the rights of its start; later steps do not run.
    expect(ended).toMatchObject({ state: 'failed', error: expect.stringContaining('no longer an owner') });
    expect(ended['changed']).toBeLessThan(2200);
  });
});
