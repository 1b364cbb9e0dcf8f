import { describe, expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';

const world = useWorld();

const chart = (from: string) =>
  `query ($o: ID!, $d: [ID!]) { series(organizationId: $o, deviceIds: $d, variables: ["t"], from: ${from}) { ts } }`;

describe('invalid scalar value in GraphQL', () => {
  it('returns 400 with the argument and its position when the document contains the value', async () => {
    const owner = await world.organization();
    const { status, body } = await owner.graph(chart('"soon"'), { o: owner.id, d: [] });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      {
        message: expect.stringMatching(/"UnixTime".*"soon".*UnixTime must be a number/),
        locations: [{ line: 1, column: expect.any(Number) }],
        extensions: {
          code: 'VALIDATION_FAILED',
          errors: [{ path: 'from', message: expect.stringMatching(/^UnixTime must be a number/) }],
        },
      },
    ]);
  });

  it.each([
    ['registerDevice(organizationId: "o", deviceSerial: 12) { id }', 'deviceSerial'],
    ['registerDevice(organizationId: "o", deviceSerial: "aa", location: { lat: 1, lon: "x" }) { id }', 'location.lon'],
    [
      'createProduct(organizationId: "o", name: "n", version: "1", variables: [{ name: "a", type: BOOL }, { name: 1, type: BOOL }]) { id }',
      'variables.name',
    ],
  ])('returns the path inside objects and lists: %s', async (mutation, path) => {
    const owner = await world.organization();
    const { body } = await owner.graph(`mutation { ${mutation} }`);
    expect(body.errors).toMatchObject([{ locations: [{ line: 1 }], extensions: { errors: [{ path }] } }]);
  });

  it.each([
    ['a day that no month has', '2026-02-30T00:00:00Z'],
    ['no zone', '2026-02-28T10:00:00'],
    ['no time of day', '2026-02-28'],
    ['a thousand digits', `2026-02-28T10:00:00.${'0'.repeat(1000)}Z`],
  ])('returns both accepted formats for a time with %s', async (_kind, from) => {
    const owner = await world.organization();
    const { status, body } = await owner.graph(chart('$from').replace('$d:', '$from: UnixTime, $d:'), {
      o: owner.id,
      d: [],
      from,
    });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      {
        extensions: {
          errors: [
            { path: 'from', message: 'UnixTime must be a number of seconds or a text such as 2026-11-25T10:00:00Z' },
          ],
        },
      },
    ]);
  });

  it.each(['first', 'second'])('returns 400 that names the variable of the time, on the %s request', async () => {
    const owner = await world.organization();
    const query = `query ($o: ID!, $d: [ID!], $from: UnixTime) {
      series(organizationId: $o, deviceIds: $d, variables: ["t"], from: $from) { ts } }`;
    const { status, body } = await owner.graph(query, { o: owner.id, d: [], from: 'soon' });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      {
        message: expect.stringMatching(/"\$from".*soon.*UnixTime must be a number/),
        extensions: {
          code: 'VALIDATION_FAILED',
          errors: [{ path: 'from', message: expect.stringMatching(/^UnixTime must be a number/) }],
        },
      },
    ]);
  });
});

describe('time range in GraphQL', () => {
  it('accepts ISO 8601 times, written in the query or as variables', async () => {
    const owner = await world.organization();
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/aa-03`);
    const ts = 1_700_000_000;
    await owner.post(
      `/organizations/${owner.id}/records`,
      [0, 0.5, 1].map((s) => ({ serial: 'aa-03', ts: ts + s, data: { t: s } })),
    );
    const [from, to] = [new Date((ts + 0.25) * 1000).toISOString(), '2023-11-14T23:13:20.750+01:00'];
    const records = async (declared: string, range: string, more: object) =>
      (
        await owner.graph(
          `query ($o: ID!, $d: ID!${declared}) { device(organizationId: $o, deviceId: $d) { records(${range}) { items { ts } } } }`,
          { o: owner.id, d: deviceId, ...more },
        )
      ).body.data;
    const expected = { device: { records: { items: [{ ts: ts + 0.5 }] } } };
    expect(await records('', `from: "${from}", to: "${to}"`, {})).toEqual(expected);
    expect(await records(', $from: UnixTime, $to: UnixTime', 'from: $from, to: $to', { from, to })).toEqual(expected);
  });

  it('accepts milliseconds, in the text, in variables and over REST', async () => {
    const owner = await world.organization();
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/aa-02`);
    const ts = 1_700_000_000;
    await owner.post(
      `/organizations/${owner.id}/records`,
      [0, 10, 20].map((s) => ({ serial: 'aa-02', ts: ts + s, data: { t: s } })),
    );
    const inText = `query ($o: ID!, $d: ID!) { device(organizationId: $o, deviceId: $d) {
      records(from: ${(ts + 5) * 1000}, to: ${ts + 15}) { items { ts } } } }`;
    const byVariable = `query ($o: ID!, $d: ID!, $from: UnixTime, $to: UnixTime) { device(organizationId: $o, deviceId: $d) {
      records(from: $from, to: $to) { items { ts } } } }`;
    const variables = { o: owner.id, d: deviceId };
    const expected = { device: { records: { items: [{ ts: ts + 10 }] } } };
    expect((await owner.graph(inText, variables)).body.data).toEqual(expected);
    const between = { from: (ts + 5) * 1000, to: (ts + 15) * 1000 };
    expect((await owner.graph(byVariable, { ...variables, ...between })).body.data).toEqual(expected);
    const productId = await owner.make(`/organizations/${owner.id}/products`, {
      name: 'P',
      version: '1',
      variables: [],
    });
    const job = await owner.post(`/products/${owner.id}/${productId}/redecode`, between);
    expect(job.status).toBe(200);
    const far = await owner.post(`/products/${owner.id}/${productId}/redecode`, { from: 1e15 });
    expect(far.status).toBe(422);
  });
});

it.each(['a\u0000b', '\ud800'])(
  'returns VALIDATION_FAILED for a hook filter with the unstorable product %j',
  async (product) => {
    const owner = await world.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'A' });
    const hooks = `/applications/${owner.id}/${applicationId}/hooks`;
    const applicationHookId = await owner.make(hooks, { url: 'http://127.0.0.1:9/' });
    const query = `mutation ($o: ID!, $a: ID!, $h: ID!, $products: [ID!]) {
    updateApplicationHookSettings(organizationId: $o, applicationId: $a, applicationHookId: $h, filter: { products: $products }) { signed } }`;
    const variables = { o: owner.id, a: applicationId, h: applicationHookId, products: ['x', product] };
    const { body } = await owner.graph(query, variables);
    expect(body.errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED', errors: [{ path: expect.stringContaining('filter.products') }] } },
    ]);
    const answer = await owner.put(`${hooks}/${applicationHookId}/settings`, { filter: { products: [product] } });
    expect([answer.status, answer.body]).toMatchObject([422, { code: 'VALIDATION_FAILED' }]);
  },
);
