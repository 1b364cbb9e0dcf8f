import { beforeAll, describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { daySeconds } from '#common/time.js';
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

const above = { all: [{ variable: 't', operator: 'gt', value: 8 }] };

describe('Device.latest after a clock was ahead', () => {
  it.each([1, 30])('returns the values that came after %i records 23 hours ahead', async (count) => {
    const { id, send } = await device();
    await send([-60, 1]);
    await send(...Array.from({ length: count }, (_, index): [number, number] => [daySeconds - 3600 + index, 2]));
    expect(await shown(id)).toEqual({
      clockAhead: expect.closeTo(daySeconds - 3600 + count - 1, -2),
      latest: [{ name: 't', value: 2, ahead: expect.closeTo(daySeconds - 3600, -2) }],
    });
    const ts = await send([0, 3]);
    expect(await shown(id)).toEqual({ clockAhead: null, latest: [{ name: 't', value: 3, ahead: null }] });
    const { body } = await owner.get<object>(`/devices/${owner.id}/${id}/latest`);
    expect(body).toMatchObject({ values: [{ name: 't', ts: expect.closeTo(ts, 5), value: 3 }] });
  });

  it('returns the last value by measurement of a call whose records are all ahead', async () => {
    const { id, send } = await device();
    // Creating so many records takes several milliseconds.
    await send([daySeconds - 3600, 1], ...Array.from({ length: 900 }, (): [number, number] => [daySeconds - 7200, 2]));
    expect((await shown(id)).latest).toMatchObject([{ name: 't', value: 1 }]);
  });

  it('keeps the order of measurement if the clock is within the tolerance', async () => {
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
    const ahead = await send([daySeconds - 3600, 9]);
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

/** Makes it so that the records of a device from a time on arrived this many seconds ago. */
const arrived = (deviceId: string, ago: number, since: number) =>
  world.pool.query(sql`
    update record set id = overlay(overlay(id::text placing left(hex, 8) from 1) placing right(hex, 4) from 10)::uuid
      from (select lpad(to_hex(${Date.now() - ago * 1000}::bigint), 12, '0') hex) h
     where device_id = ${deviceId} and ts > to_timestamp(${Date.now() / 1000 + since}::float8)`);

describe('Device.lastRecordAt and the filter silentSince', () => {
  const heard = async (ids: string[], silentSince: number) => {
    const query = `query ($o: ID!, $ids: [ID!], $s: UnixTime!) {
      all: devices(organizationId: $o, ids: $ids, sort: "-lastRecordAt") { items { id lastRecordAt } }
      silent: devices(organizationId: $o, ids: $ids, filter: { silentSince: $s }) { items { id } } }`;
    const { body } = await owner.graph(query, { o: owner.id, ids, s: Date.now() / 1000 + silentSince });
    const { all, silent } = body.data as Record<string, { items: { id: string; lastRecordAt: string }[] }>;
    return {
      all: all!.items.map(({ id, lastRecordAt }) => [id, Date.parse(lastRecordAt) / 1000 - Date.now() / 1000]),
      silent: silent!.items.map(({ id }) => id),
    };
  };

  it('counts a record that is ahead at its arrival', async () => {
    const [ahead, usual] = [await device(), await device()];
    await ahead.send([daySeconds - 3600, 1]);
    await arrived(ahead.id, 1800, 0);
    await usual.send([-900, 1]);
    const all = [
      [usual.id, expect.closeTo(-900, -2)],
      [ahead.id, expect.closeTo(-1800, -2)],
    ];
    expect(await heard([ahead.id, usual.id], -1000)).toEqual({ all, silent: [ahead.id] });
    expect(await heard([ahead.id, usual.id], -2000)).toEqual({ all, silent: [] });
  });

  it('counts it at its arrival when its time has passed, too', async () => {
    const { id, send } = await device();
    await send([-60, 1], [-61, 1]);
    await arrived(id, 10_800, -70);
    await send([-3600, 2]);
    expect(await heard([id], -1800)).toEqual({ all: [[id, expect.closeTo(-3600, -2)]], silent: [id] });
    expect(await heard([id], -4000)).toEqual({ all: [[id, expect.closeTo(-3600, -2)]], silent: [] });
    expect((await shown(id)).latest).toMatchObject([{ value: 2, ahead: null }]);
  });
});
