import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

let owner: AccountActor;
let at: string;
beforeAll(async () => {
  owner = await world.organization();
  at = `/applications/${owner.id}/${await owner.make(`/organizations/${owner.id}/applications`, { name: 'Rooms' })}`;
});

let serials = 0;
const device = async () => {
  const serial = `a${++serials}`.padStart(4, '0');
  const id = await owner.make(`/organizations/${owner.id}/devices/${serial}`);
  await owner.put(`${at}/devices/${id}`);
  /** Posts records this many seconds from now. Returns the time of the last one. */
  const send = async (...points: [later: number, t: number][]) => {
    const now = Date.now() / 1000;
    const records = points.map(([later, t]) => ({ serial, ts: now + later, data: { t } }));
    await owner.post(`/organizations/${owner.id}/records`, records);
    return records.at(-1)!.ts;
  };
  return { id, send };
};

interface Shown {
  clockAhead: number | null;
  latest: { name: string; value: unknown; ahead: number | null }[];
}
const shown = async (id: string): Promise<Shown> => {
  const query = `query ($o: ID!, $d: ID!) { device(organizationId: $o, deviceId: $d) {
    clockAhead latest { name value ahead } } }`;
  return (await owner.graph(query, { o: owner.id, d: id })).body.data?.['device'] as Shown;
};
const day = 86_400;
const above = { all: [{ variable: 't', operator: 'gt', value: 8 }] };

describe('Device.latest after a clock was ahead', () => {
  it.each([1, 30])('returns the values that came after %i records 23 hours ahead', async (count) => {
    const { id, send } = await device();
    await send([-60, 1]);
    await send(...Array.from({ length: count }, (_, index): [number, number] => [day - 3600 + index, 2]));
    expect(await shown(id)).toEqual({
      clockAhead: expect.closeTo(day - 3600 + count - 1, -2),
      latest: [{ name: 't', value: 2, ahead: expect.closeTo(day - 3600, -2) }],
    });
    const ts = await send([0, 3]);
    expect(await shown(id)).toEqual({ clockAhead: null, latest: [{ name: 't', value: 3, ahead: null }] });
    const { body } = await owner.get<object>(`/devices/${owner.id}/${id}/latest`);
    expect(body).toMatchObject({ values: [{ name: 't', ts: expect.closeTo(ts, 5), value: 3 }] });
  });

  it('keeps the order of measurement where the clock is within the tolerance', async () => {
    const { id, send } = await device();
    await send([9, 1]);
    await send([0, 2]);
    expect(await shown(id)).toEqual({ clockAhead: null, latest: [{ name: 't', value: 1, ahead: null }] });
  });
});

describe('threshold rule after a record 23 hours ahead', () => {
  it('decides the records that follow, and opens at the arrival', async () => {
    const ruleId = await owner.make(`${at}/alert-rules`, { name: 'Warm', kind: 'threshold', when: above });
    const { send } = await device();
    const episodes = async () =>
      (await owner.get<object[]>(`${at}/episodes?alertRuleId=${ruleId}&sort=openedAt`)).body as {
        openedAt: string;
        openedBy: { ts: number };
        closedBy?: { ts: number };
      }[];
    const ahead = await send([day - 3600, 9]);
    const [first] = await episodes();
    expect(first!.openedBy.ts).toBeCloseTo(ahead, 5);
    expect(Date.parse(first!.openedAt) / 1000).toBeLessThan(ahead - 7200);
    const calm = await send([0, 1]);
    const warm = await send([0, 9]);
    expect(await episodes()).toMatchObject([
      { closedBy: { ts: expect.closeTo(calm, 5) } },
      { openedBy: { ts: expect.closeTo(warm, 5) } },
    ]);
  });
});
