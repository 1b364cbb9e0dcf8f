import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
const base = 1_700_000_000;
const rule = { name: 'Warm', kind: 'threshold', when: { all: [{ variable: 't', operator: 'gt', value: 8 }] } };

let owner: AccountActor;
let at: string;
let deviceId: string;
beforeAll(async () => {
  owner = await world.organization();
  at = `/applications/${owner.id}/${await owner.make(`/organizations/${owner.id}/applications`, { name: 'Rooms' })}`;
  deviceId = await owner.make(`/organizations/${owner.id}/devices/1a7e`);
});

const send = (...points: [later: number, t: number][]) =>
  owner.post(
    `/organizations/${owner.id}/records`,
    points.map(([later, t]) => ({ serial: '1a7e', ts: base + later, data: { t } })),
  );
const openedBy = async () =>
  (await owner.get<{ openedBy: { ts: number } }[]>(`${at}/episodes`)).body.map((one) => one.openedBy.ts - base);

describe('threshold rule on late records', () => {
  it('opens no episode, even if the rule or the link is newer than the newest record', async () => {
    await send([100, 1]);
    const first = await owner.make(`${at}/alert-rules`, rule);
    await owner.put(`${at}/devices/${deviceId}`);
    await send([50, 9]);
    await send([51, 9]);
    expect(await openedBy()).toEqual([]);
    await send([101, 9]);
    expect(await openedBy()).toEqual([101]);
    await owner.delete(`${at}/alert-rules/${first}`);
    await send([200, 1]);
    await owner.make(`${at}/alert-rules`, rule);
    await send([150, 9]);
    expect(await openedBy()).toEqual([101]);
    await send([150, 9], [201, 9]);
    expect((await openedBy()).toSorted((a, b) => a - b)).toEqual([101, 201]);
  });
});
