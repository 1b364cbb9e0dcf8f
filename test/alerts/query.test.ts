import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

let owner: AccountActor;
let at: string;
let sent = 1_700_000_000;
beforeAll(async () => {
  owner = await world.organization();
  at = `/applications/${owner.id}/${await owner.make(`/organizations/${owner.id}/applications`, { name: 'Rooms' })}`;
  await owner.put(`${at}/devices/${await owner.make(`/organizations/${owner.id}/devices/b1`)}`);
  await send({ t: 0, h: 0, door: true, fault: 1 });
});

const send = (data: object) =>
  owner.post(`/organizations/${owner.id}/records`, [{ serial: 'b1', ts: (sent += 1), data }]);
const range = (field: string, gt: number) => ({ range: { [`data.${field}`]: { gt } } });

describe('alert rule with a query', () => {
  it.each<[string, object, { opens: object; keeps: object[]; closes: object }]>([
    ['a range', range('t', 8), { opens: { t: 9 }, keeps: [{ h: 1 }, {}], closes: { t: 1 } }],
    [
      'several clauses that all hold',
      { bool: { filter: [range('t', 8), { term: { 'data.door': true } }] } },
      { opens: { t: 9, door: true }, keeps: [{ t: 9 }, { door: true }, { h: 1 }], closes: { door: false } },
    ],
    [
      'several clauses of which one holds',
      { bool: { should: [range('t', 8), range('h', 8)] } },
      { opens: { h: 9 }, keeps: [{ t: 1 }, { h: 1 }], closes: { t: 1, h: 1 } },
    ],
    [
      'a clause that must not hold',
      { bool: { filter: [{ exists: { field: 'data.t' } }], must_not: [{ range: { 'data.t': { lte: 8 } } }] } },
      { opens: { t: 9 }, keeps: [{ t: 12 }], closes: { t: 1 } },
    ],
    [
      'a field that need only exist',
      { exists: { field: 'data.fault' } },
      { opens: { fault: 2 }, keeps: [{ fault: 3 }], closes: { t: 1 } },
    ],
  ])('closes only on a record that decides %s', async (_what, query, { opens, keeps, closes }) => {
    const body = { kind: 'threshold', when: { query } };
    const ruleId = await owner.make(`${at}/alert-rules`, { name: 'Asked', ...body });
    const states = async () =>
      (await owner.get<{ closedReason?: string }[]>(`${at}/episodes?alertRuleId=${ruleId}`)).body.map(
        ({ closedReason = 'open' }) => closedReason,
      );
    await send(opens);
    expect(await states()).toEqual(['open']);
    for (const data of keeps) {
      await send(data);
      expect(await states()).toEqual(['open']);
    }
    await send(closes);
    expect(await states()).toEqual(['cleared']);
    await owner.delete(`${at}/alert-rules/${ruleId}`);
  });

  it('keeps its state when a record lacks the field of a must_not clause', async () => {
    const isNot = (query: object) => ({ query: { bool: { must_not: [query] } } });
    const rules = [
      { when: isNot({ range: { 'data.t': { lte: 8 } } }) },
      { when: { query: range('t', 8) }, until: isNot(range('t', 8)) },
    ];
    for (const rule of rules) await owner.make(`${at}/alert-rules`, { name: 'Not', kind: 'threshold', ...rule });
    const states = async () =>
      (await owner.get<{ name: string; closedReason?: string }[]>(`${at}/episodes`)).body
        .filter(({ name }) => name === 'Not')
        .map(({ closedReason = 'open' }) => closedReason);
    await send({ h: 1 });
    expect(await states()).toEqual([]);
    await send({ t: 9 });
    await send({ h: 1 });
    expect(await states()).toEqual(['open', 'open']);
    await send({ t: 1 });
    expect(await states()).toEqual(['cleared', 'cleared']);
  });
});
