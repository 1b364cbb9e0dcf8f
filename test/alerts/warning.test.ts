import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();
const [minute, hour, day] = [60, 3600, 86_400];

let owner: AccountActor;
let at: string;

beforeAll(async () => {
  owner = await world.organization();
  const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Rooms' });
  at = `/applications/${owner.id}/${applicationId}`;
  const now = Math.floor(Date.now() / 1000);
  for (const [serial, tag, interval] of [
    ['e0-01', 'often', minute],
    ['e0-02', 'rare', 2 * hour],
  ] as const) {
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/${serial}`, { tags: [tag] });
    await owner.put(`${at}/devices/${deviceId}`);
    const records = Array.from({ length: 8 }, (_, index) => ({ serial, ts: now - index * interval, data: { t: 1 } }));
    await owner.post(`/organizations/${owner.id}/records`, records);
  }
});

const save = async (tag: string, more: object) => {
  const when = { all: [{ variable: 't', operator: 'gt', value: 8 }] };
  const body = { name: 'Warm', kind: 'threshold', tags: [tag], when, ...more };
  return (await owner.post<{ id: string; warnings?: string[] }>(`${at}/alert-rules`, body)).body;
};

describe('answer that saves an alert rule', () => {
  it('warns if the devices send more rarely than `maxGap`, so that `for` never passes', async () => {
    const { id, warnings } = await save('rare', { for: 3 * hour });
    expect(warnings).toEqual([expect.stringContaining('1 of 1 devices: they send a record every 7200 s')]);
    const path = `${at}/alert-rules/${id}`;
    expect((await owner.put<object>(path, { name: 'Warm', maxGap: 3 * hour })).body).not.toHaveProperty('warnings');
    expect((await owner.put<object>(path, { name: 'Warm', maxGap: hour })).body).toHaveProperty('warnings');
    expect((await owner.get<object>(path)).body).not.toHaveProperty('warnings');
  });

  it('does not warn if `for` is a week over records of each minute, or 0', async () => {
    expect(await save('often', { for: 7 * day })).not.toHaveProperty('warnings');
    expect(await save('rare', { for: 0 })).not.toHaveProperty('warnings');
  });
});
