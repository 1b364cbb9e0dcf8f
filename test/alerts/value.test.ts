import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

let owner: AccountActor;
let at: string;
let sent = 1_700_000_000;
beforeAll(async () => {
  owner = await world.organization();
  at = `/applications/${owner.id}/${await owner.make(`/organizations/${owner.id}/applications`, { name: 'Rooms' })}`;
  const variables = [
    { name: 'door', type: 'BOOL' },
    { name: 'mode', type: 'TXT' },
    { name: 'total', type: 'INT64' },
  ];
  const product = { name: 'Room', version: '1', variables };
  const id = await owner.make(`/organizations/${owner.id}/products`, product);
  const deviceId = await owner.make(`/organizations/${owner.id}/devices/0a`, { product: { id } });
  await owner.put(`${at}/devices/${deviceId}`);
});

/** Posts a record. The data is JSON text, so that it may have any number. */
const send = (data: string) =>
  owner.request('POST', `/organizations/${owner.id}/records`, {
    headers: { 'content-type': 'application/json' },
    body: `{"serial":"0a","ts":${(sent += 1)},"data":${data}}`,
  });
const made = async (condition: string): Promise<{ status: number; body: { id: string } }> =>
  owner.request('POST', `${at}/alert-rules`, {
    headers: { 'content-type': 'application/json' },
    body: `{"name":"Compared","kind":"threshold",${condition}}`,
  });
const stateOf = async (ruleId: string) => {
  const { body } = await owner.get<{ closedReason?: string }[]>(`${at}/episodes?alertRuleId=${ruleId}`);
  return body.map(({ closedReason = 'open' }) => closedReason).join();
};

describe('comparison of an alert rule', () => {
  it.each([
    ['true with 1 of a BOOL', '"variable":"door","operator":"eq","value":true', '{"door":1}', '{"door":"0"}'],
    ['a text with a number of a TXT', '"variable":"mode","operator":"eq","value":"5"', '{"mode":5}', '{"mode":7}'],
    ['a value inside an object', '"variable":"air.t","operator":"gt","value":8', '{"air":{"t":9}}', '{"air":{"t":1}}'],
    ['a variable named as in a search', '"variable":"data.n","operator":"gt","value":8', '{"n":9}', '{"n":1}'],
    [
      'a value inside an object `data`',
      '"variable":"data.n","operator":"gt","value":8',
      '{"n":1,"data":{"n":9}}',
      '{"n":9,"data":{"n":1}}',
    ],
    ['a number in text', '"variable":"n","operator":"gt","value":8', '{"n":"+9.5e0"}', '{"n":"1"}'],
    [
      'a whole number beyond 2^53 with the next one',
      '"variable":"total","operator":"gt","value":"9007199254740992"',
      '{"total":9007199254740993}',
      '{"total":9007199254740992}',
    ],
    [
      'a whole number with a limit beyond 2^53, which is a text',
      '"variable":"total","operator":"gte","value":"9007199254740995"',
      '{"total":"9007199254740995"}',
      '{"total":9007199254740993}',
    ],
  ])('decides %s', async (_what, comparison, opens, closes) => {
    const { body } = await made(`"when":{"all":[{${comparison}}]}`);
    await send(opens);
    expect(await stateOf(body.id)).toBe('open');
    await send(closes);
    expect(await stateOf(body.id)).toBe('cleared');
    await owner.delete(`${at}/alert-rules/${body.id}`);
  });

  it('returns 422 for a number beyond 2^53 - 1, which loses digits, and takes it as text', async () => {
    const message = 'must be sent as text: a number beyond 2^53 - 1 loses digits';
    const value = '9007199254740993';
    const compared = (limit: string) => `{"all":[{"variable":"total","operator":"gt","value":${limit}}]}`;
    const asked = (limit: string) => `{"query":{"bool":{"filter":[{"term":{"data.total":${limit}}}]}}}`;
    for (const [condition, fault] of [
      [compared, { path: 'when.all.0.value', message }],
      [asked, { path: 'when.query', message: `\`data.total\` ${message}` }],
    ] as const) {
      expect(await made(`"when":${condition(value)}`)).toMatchObject({ status: 422, body: { errors: [fault] } });
      const { body } = await made(`"when":${condition(`"${value}"`)}`);
      await owner.delete(`${at}/alert-rules/${body.id}`);
    }
    expect(
      await made(`"when":${compared('9')},"until":{"all":[{"variable":"total","operator":"lt","value":-1e300}]}`),
    ).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'until.all.0.value', message }] },
    });
    const literal = `mutation { createAlertRule(organizationId: "${owner.id}", applicationId: "${at.split('/').at(-1)}",
      name: "R", kind: threshold, when: { all: [{ variable: "total", operator: gt, value: ${value} }] }) { id } }`;
    expect((await owner.graph(literal)).body.errors).toMatchObject([
      { extensions: { errors: [{ path: 'when.all.0.value', message }] } },
    ]);
    // A query with the text finds this number only.
    const { body } = await made(`"when":${asked(`"${value}"`)}`);
    await send('{"total":9007199254740992}');
    expect(await stateOf(body.id)).toBe('');
    await send(`{"total":${value}}`);
    expect(await stateOf(body.id)).toBe('open');
    await owner.delete(`${at}/alert-rules/${body.id}`);
  });

  it.each([
    ['[16]', '[1]'],
    ['[1,[16]]', '[1,2]'],
  ])('decides the list %s as a query does', async (opens, closes) => {
    const rules = await Promise.all([
      made('"when":{"all":[{"variable":"total","operator":"gt","value":8}]}'),
      made('"when":{"query":{"range":{"data.total":{"gt":8}}}}'),
    ]);
    const states = () => Promise.all(rules.map(({ body }) => stateOf(body.id)));
    await send(`{"total":${opens}}`);
    expect(await states()).toEqual(['open', 'open']);
    await send(`{"total":${closes}}`);
    expect(await states()).toEqual(['cleared', 'cleared']);
    for (const { body } of rules) await owner.delete(`${at}/alert-rules/${body.id}`);
  });

  it.each(['"0x10"', '" 16 "', '"Infinity"', '"1_000"', '""', '[]', 'true'])(
    'keeps its state at %s, which no search finds as a number',
    async (value) => {
      const { body } = await made('"when":{"all":[{"variable":"n","operator":"gt","value":8}]}');
      await send('{"n":9}');
      await send(`{"n":${value}}`);
      expect(await stateOf(body.id)).toBe('open');
      await owner.delete(`${at}/alert-rules/${body.id}`);
    },
  );
});

describe('`when` and `until` of an alert rule', () => {
  it('returns 422 if a record can meet both, under each name of a variable, and with all digits', async () => {
    const compared = (variable: string, operator: string, value: string) =>
      `{"all":[{"variable":"${variable}","operator":"${operator}","value":${value}}]}`;
    const both = (one: string, other: string) => made(`"when":${one},"until":${other}`);
    expect(await both(compared('n', 'gt', '8'), compared('data.n', 'gt', '9'))).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'until' }] },
    });
    const { status, body } = await both(
      compared('total', 'eq', '"9007199254740993"'),
      compared('total', 'eq', '"9007199254740992"'),
    );
    expect(status).toBe(200);
    await owner.delete(`${at}/alert-rules/${body.id}`);
  });

  const query = (gt: number) => `{"query":{"range":{"data.q":{"gt":${gt}}}}}`;

  it('returns 422 if they are the same query', async () => {
    expect(await made(`"when":${query(8)},"until":${query(8)}`)).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'until' }] },
    });
  });

  it('keeps the episode open on a record that meets both', async () => {
    const { body } = await made(`"when":${query(8)},"until":${query(5)}`);
    await send('{"q":9}');
    await send('{"q":10}');
    expect(await stateOf(body.id)).toBe('open');
    await send('{"q":6}');
    expect(await stateOf(body.id)).toBe('cleared');
  });
});

describe('silence rule of a variable inside an object', () => {
  it.each(['air.p', 'data.air.p'])('ends with a record that has %s', async (variable) => {
    const body = { name: 'Silent', kind: 'silence', silentFor: 60, variable };
    const ruleId = await owner.make(`${at}/alert-rules`, body);
    await world.pool.query(`update alert_state set due_at = now() - interval '1 s', started_at = now() - interval '61 s'
      where rule_id = '${ruleId}'`);
    while ((await stateOf(ruleId)) !== 'open') await new Promise((resolve) => setTimeout(resolve, 50));
    await send('{"air":{"t":1}}');
    expect(await stateOf(ruleId)).toBe('open');
    await send('{"air":{"p":1}}');
    expect(await stateOf(ruleId)).toBe('arrived');
  });
});
