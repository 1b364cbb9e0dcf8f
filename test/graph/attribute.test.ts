import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
let owner: AccountActor;
let at: string;
let device: string;
let path: string;
let count = 0;

beforeAll(async () => {
  owner = await world.organization();
  at = `/organizations/${owner.id}`;
});

beforeEach(async () => {
  device = await owner.make(`${at}/devices/a7-${(count += 1)}`);
  path = `/devices/${owner.id}/${device}/attributes`;
});

interface Answer {
  attributes: { name: string; value: unknown; validFrom: number }[];
}

const set = (...attributes: object[]) => owner.put<Answer>(path, { attributes });
const held = async (query = '') =>
  (await owner.get<Answer>(`${path}${query}`)).body.attributes.map(({ name, value }) => [name, value]);
const versions = async (name: string) => {
  const query = `query ($o: ID!, $d: ID!, $n: String!) {
    device(organizationId: $o, deviceId: $d) { attributeVersions(name: $n) { validFrom value } attributes { name } attributeNames } }`;
  const { body } = await owner.graph(query, { o: owner.id, d: device, n: name });
  return body.data!['device'] as {
    attributeVersions: object[];
    attributes: object[];
    attributeNames: string[];
  };
};

describe('an attribute of a device', () => {
  it('holds from its time on, until null', async () => {
    const answer = await set(
      { name: 'offset', value: 1, validFrom: 1000 },
      { name: 'offset', value: 2.5, validFrom: 1_577_836_800 },
      { name: 'offset', value: null, validFrom: 1.7e9 },
      { name: 'line', value: 'north', validFrom: 2000 },
      { name: 'is on', value: false },
    );
    expect(answer).toMatchObject({ status: 200 });
    expect(await held()).toEqual([
      ['is on', false],
      ['line', 'north'],
    ]);
    expect(await held('?at=999')).toEqual([]);
    expect(await held('?at=1000')).toEqual([['offset', 1]]);
    expect(await held('?at=1600000000')).toEqual([
      ['line', 'north'],
      ['offset', 2.5],
    ]);
    expect(await versions('offset')).toEqual({
      attributeVersions: [
        { validFrom: 1.7e9, value: null },
        { validFrom: 1_577_836_800, value: 2.5 },
        { validFrom: 1000, value: 1 },
      ],
      attributes: [{ name: 'is on' }, { name: 'line' }],
      attributeNames: ['is on', 'line', 'offset'],
    });
  });

  it('replaces a value of the same time, and removes one or all', async () => {
    await set({ name: 'a', value: 1, validFrom: 1000 }, { name: 'a', value: 2, validFrom: 2000 });
    await set({ name: 'a', value: 'x', validFrom: 2000 });
    expect(await held()).toEqual([['a', 'x']]);
    expect((await owner.delete(`${path}/a?validFrom=2000`)).status).toBe(204);
    expect(await held()).toEqual([['a', 1]]);
    await owner.delete(`${path}/a`);
    expect(await versions('a')).toMatchObject({ attributeVersions: [] });
  });

  it('leaves its values before and after in the audit log', async () => {
    await set({ name: 'a', value: 1, validFrom: 0 });
    await set({ name: 'a', value: 2, validFrom: 0 });
    const { body } = await owner.graph(
      `query ($o: ID!) { auditEvents(organizationId: $o, filter: { action: "setDeviceAttributes" }, limit: 1) {
        items { changes { field before after } } } }`,
      { o: owner.id },
    );
    expect(body.data!['auditEvents'].items).toEqual([
      { changes: [{ field: 'attributes.a from 1970-01-01T00:00:00.000Z', before: 1, after: 2 }] },
    ]);
  });

  it.each<[string, object[]]>([
    ['attributes', []],
    ['attributes', Array.from({ length: 101 }, (_, index) => ({ name: 'a', value: 1, validFrom: index }))],
    ['attributes', Array.from({ length: 51 }, (_, index) => ({ name: `a${index}`, value: 1 }))],
    ['attributes.0.name', [{ name: ' ', value: 1 }]],
    ['attributes.0.name', [{ name: 'x'.repeat(65), value: 1 }]],
    ['attributes.0.value', [{ name: 'a', value: [1] }]],
    ['attributes.0.value', [{ name: 'a', value: { b: 1 } }]],
    ['attributes.0.value', [{ name: 'a', value: 'é'.repeat(513) }]],
    ['attributes.0.value', [{ name: 'a', value: '\0' }]],
    ['attributes.0.validFrom', [{ name: 'a', value: 1, validFrom: -1 }]],
    ['attributes.1', [1, 2].map((value) => ({ name: 'a', value, validFrom: 5 }))],
  ])('refuses a fault at %s', async (fault, attributes) => {
    expect(await set(...attributes)).toMatchObject({ status: 422, body: { errors: [{ path: fault }] } });
    expect(await held()).toEqual([]);
  });

  it('keeps at most 1,000 values of an attribute, also when calls come at once', async () => {
    const hundred = (from: number) =>
      set(...Array.from({ length: 100 }, (_, index) => ({ name: 'a', value: index, validFrom: from + index })));
    const answers = await Promise.all(Array.from({ length: 11 }, (_, index) => hundred(1000 * index)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(200), 422]);
  });

  it('answers members who can read the device, and takes changes from owners alone', async () => {
    await set({ name: 'a', value: 1 });
    const member = await world.member(owner, Role.member);
    expect((await member.get(path)).status).toBe(404);
    const application = await owner.make(`${at}/applications`, { name: 'All' });
    await owner.put(`/applications/${owner.id}/${application}/devices/${device}`);
    const team = await owner.make(`${at}/teams`, { name: 'Crew' });
    await owner.put(`/teams/${owner.id}/${team}/members/${member.id}`);
    await owner.put(`/teams/${owner.id}/${team}/applications/${application}`, { permission: 'write' });
    expect((await member.get(path)).status).toBe(200);
    expect((await member.put(path, { attributes: [{ name: 'a', value: 2 }] })).status).toBe(403);
  });

  it('goes with its device', async () => {
    await set({ name: 'a', value: 1 });
    await owner.delete(`/devices/${owner.id}/${device}`);
    const { rows } = await world.pool.query('select from attribute where owner_id = $1', [device]);
    expect(rows).toEqual([]);
  });
});

describe('filter of devices by attributes', () => {
  it('finds devices whose attributes have the values now', async () => {
    await set({ name: 'line', value: 3, validFrom: 0 }, { name: 'side', value: 'left' });
    const other = await owner.make(`${at}/devices/a7-fa`);
    await owner.put(`/devices/${owner.id}/${other}/attributes`, {
      attributes: [
        { name: 'line', value: 3, validFrom: 0 },
        { name: 'line', value: 4, validFrom: 1.7e9 },
      ],
    });
    const found = async (...attributes: object[]) => {
      const { body } = await owner.graph(
        'query ($o: ID!, $a: [AttributeFilterInput!]) { devices(organizationId: $o, filter: { attributes: $a }) { items { id } } }',
        { o: owner.id, a: attributes },
      );
      return body.data?.['devices']?.items.map(({ id }: { id: string }) => id) ?? body.errors;
    };
    expect(await found({ name: 'line', value: 3 })).toEqual([device]);
    expect(await found({ name: 'line', value: 4 })).toEqual([other]);
    expect(await found({ name: 'line', value: '3' })).toEqual([]);
    expect(await found({ name: 'line', value: 3 }, { name: 'side', value: 'left' })).toEqual([device]);
    expect(await found({ name: 'line', value: [3] })).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'filter.attributes.0.value' }] } },
    ]);
  });
});

describe('formula with attributes', () => {
  it('reads them as they held when the record was measured', async () => {
    const product = await owner.make(`${at}/products`, {
      name: 'Probe',
      version: '1',
      variables: [{ name: 't', type: 'FLOAT32' }],
    });
    await owner.graph(
      `mutation ($o: ID!, $p: ID!) { putProductSettings(organizationId: $o, productId: $p, settings: { derived: [
        { name: "real", type: FLOAT32, formula: "t + device.offset" } ] }) { id } }`,
      { o: owner.id, p: product },
    );
    const [one, two] = [await owner.make(`${at}/devices/a7-f1`, { product: { id: product } }), `a7-f2`];
    await owner.make(`${at}/devices/${two}`, { product: { id: product } });
    path = `/devices/${owner.id}/${one}/attributes`;
    await set({ name: 'offset', value: 1, validFrom: 1.6e9 }, { name: 'offset', value: 2, validFrom: 1.7e9 });
    const times = [1.5e9, 1.6e9, 1.65e9, 1.7e9, 1.75e9];
    const records = times.flatMap((ts) => ['a7-f1', two].map((serial) => ({ serial, ts, data: { t: 10 } })));
    await owner.post(`${at}/records`, records);
    const real = async () =>
      (
        await world.pool.query<{ real: number | null }>(
          `select (data -> 'real')::float8 as real from record where device_id = $1 order by ts`,
          [one],
        )
      ).rows.map(({ real: value }) => value);
    expect(await real()).toEqual([null, 11, 11, 12, 12]);
    const { rows } = await world.pool.query(
      `select metadata -> 'derived' as derived from record r join device d on d.id = device_id where serial = $1 limit 1`,
      [two],
    );
    expect(rows).toEqual([{ derived: { absent: [{ variable: 'real', code: 'MISSING', input: 'device.offset' }] } }]);
    await set({ name: 'offset', value: 5, validFrom: 0 }, { name: 'offset', value: 'x', validFrom: 1.72e9 });
    expect(await real()).toEqual([null, 11, 11, 12, 12]);
    const { body } = await owner.graph(
      'mutation ($o: ID!, $p: ID!) { recomputeProduct(organizationId: $o, productId: $p) { id } }',
      { o: owner.id, p: product },
    );
    for (;;) {
      const { body: job } = await owner.get<{ state: string }>(`${at}/jobs/${body.data!['recomputeProduct'].id}`);
      if (job.state === 'done') break;
      expect(job.state).not.toBe('failed');
    }
    expect(await real()).toEqual([15, 11, 11, 12, null]);
  });
});
