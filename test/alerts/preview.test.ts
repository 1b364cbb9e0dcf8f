import { beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { newId } from '#entities/id.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

let owner: AccountActor;
beforeAll(async () => {
  owner = await world.organization();
});

const hasty = useWorld({
  config: { ...readConfig({ RATE_LIMIT: '0', PORT: '0' }), search: { timeout: 0, rollups: true } },
});

const decision = {
  kind: 'threshold',
  when: { all: [{ variable: 't', operator: 'gt', value: 8 }] },
  until: { all: [{ variable: 't', operator: 'lt', value: 6 }] },
};

describe('preview of an alert rule', () => {
  const fresh = async (points: [ago: number, data: object][]) => {
    const own = newId().slice(-12);
    const application = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Previewed' });
    const device = await owner.make(`/organizations/${owner.id}/devices/${own}`);
    await owner.put(`/applications/${owner.id}/${application}/devices/${device}`);
    const now = Math.floor(Date.now() / 1000);
    const records = points.map(([ago, data]) => ({ serial: own, ts: now - ago, data }));
    await owner.post(`/organizations/${owner.id}/records`, records);
    return { own, now, device, application: `/applications/${owner.id}/${application}`, records };
  };
  const points: [number, object][] = [
    [9000, { t: 9 }],
    [8000, { t: 7 }],
    [7000, { t: 5 }],
    [6000, { t: 12 }],
  ];

  it('returns the episodes that the rule opens when the same records are posted', async () => {
    const { application, device, records, own } = await fresh(points);
    const preview = await owner.post<{ episodes: object[] }>(`${application}/alert-rules/preview`, decision);
    expect(preview).toMatchObject({
      status: 200,
      body: { episodeCount: 2, deviceCount: 1, devicesRead: 1, recordsRead: 4, isComplete: true },
    });
    await owner.make(`${application}/alert-rules`, { ...decision, name: 'Too warm', severity: 'critical' });
    await owner.delete(`${application}/devices/${device}`);
    await owner.put(`${application}/devices/${device}`);
    await owner.post(
      `/organizations/${owner.id}/records`,
      records.map((record) => ({ ...record, ts: record.ts + 9500, serial: own })),
    );
    const replayed = await owner.get<object[]>(`${application}/episodes?sort=openedAt`);
    const shape = (episodes: object[]) =>
      episodes.map((each) => {
        const { openedBy, closedBy } = each as { openedBy: { values: object }; closedBy?: { values: object } };
        return [openedBy.values, closedBy?.values];
      });
    expect(shape(replayed.body)).toEqual(shape(preview.body.episodes));
  });

  it('orders a record that is ahead by its arrival', async () => {
    const { application, own, now } = await fresh([[60, { t: 1 }]]);
    const send = (ts: number, t: number) =>
      owner.post(`/organizations/${owner.id}/records`, [{ serial: own, ts, data: { t } }]);
    await send(now + 80_000, 9);
    await send(Date.now() / 1000, 1);
    const { body } = await owner.post<object>(`${application}/alert-rules/preview`, decision);
    expect(body).toMatchObject({
      episodes: [{ openedBy: { ts: now + 80_000, values: { t: 9 } }, closedBy: { values: { t: 1 } } }],
      recordsRead: 3,
    });
  });

  it('evaluates queries, and counts silence from the arrival of records', async () => {
    const { application } = await fresh(points);
    const query = { range: { 'data.t': { gte: 8 } } };
    const preview = (body: object) => owner.post<object>(`${application}/alert-rules/preview`, body);
    expect((await preview({ kind: 'threshold', when: { query } })).body).toMatchObject({
      episodeCount: 2,
      isComplete: true,
    });
    expect((await preview({ kind: 'silence', silentFor: 60 })).body).toMatchObject({ episodeCount: 0, recordsRead: 4 });
  });
});

describe('preview that runs out of time', () => {
  it('says so beside the episodes that it found', async () => {
    const caller = await hasty.organization();
    const applicationId = await caller.make(`/organizations/${caller.id}/applications`, { name: 'Hasty' });
    const deviceId = await caller.make(`/organizations/${caller.id}/devices/${newId().slice(-12)}`);
    const at = `/applications/${caller.id}/${applicationId}`;
    await caller.put(`${at}/devices/${deviceId}`);
    const { body } = await caller.post(`${at}/alert-rules/preview`, decision);
    expect(body).toMatchObject({ episodeCount: 0, isComplete: false, incompleteReason: 'time' });
  });
});
