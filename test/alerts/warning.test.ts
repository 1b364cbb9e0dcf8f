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
    expect(warnings).toEqual([expect.stringContaining('1 of 1 device: they send a record every 7200 s')]);
    const path = `${at}/alert-rules/${id}`;
    expect((await owner.put<object>(path, { name: 'Warm', maxGap: 3 * hour })).body).not.toHaveProperty('warnings');
    expect((await owner.put<object>(path, { name: 'Warm', maxGap: hour })).body).toHaveProperty('warnings');
    expect((await owner.get<object>(path)).body).not.toHaveProperty('warnings');
  });

  it('does not warn if `for` is a week over records of each minute, or 0', async () => {
    expect(await save('often', { for: 7 * day })).not.toHaveProperty('warnings');
    expect(await save('rare', { for: 0 })).not.toHaveProperty('warnings');
  });

  it('warns of a variable that no record has and no product declares', async () => {
    const named = (variable: string) => ({ when: { all: [{ variable, operator: 'gt', value: 8 }] } });
    for (const variable of ['temp', 'data.temp', 'metadata.rssi', 'o.t'])
      expect((await save('often', named(variable))).warnings).toEqual([
        expect.stringContaining(`No product declares \`${variable}\`, and the newest records of 1 device lack it`),
      ]);
    for (const variable of ['t', 'data.t']) expect(await save('often', named(variable))).not.toHaveProperty('warnings');
    const silence = { kind: 'silence', when: null, silentFor: 600, variable: 'heartbeat' };
    expect((await save('often', silence)).warnings).toEqual([expect.stringContaining('`heartbeat`')]);
    expect(await save('no device', named('temp'))).not.toHaveProperty('warnings');
    const variables = [{ name: 'door', type: 'INT16', unit: '' }];
    const product = await owner.make(`/organizations/${owner.id}/products`, { name: 'P', version: '1', variables });
    const deviceId = await owner.make(`/organizations/${owner.id}/devices/e0-03`, {
      tags: ['typed'],
      product: { id: product },
    });
    await owner.put(`${at}/devices/${deviceId}`);
    await owner.post(`/organizations/${owner.id}/records`, [{ serial: 'e0-03', data: { t: 1 } }]);
    expect(await save('typed', named('door'))).not.toHaveProperty('warnings');
    expect(await save('typed', named('doors'))).toHaveProperty('warnings');
  });

  it('comes with an item of `putAlertRules`, also in a dry run', async () => {
    const when = { all: [{ variable: 't', operator: 'gt', value: 8 }] };
    const rule = { name: 'Warm', kind: 'threshold', when, for: 3 * hour };
    const put = async (dryRun: boolean) => {
      const { body } = await owner.graph(
        `mutation ($o: ID!, $a: ID!, $rules: [AlertRuleInput!]!, $dryRun: Boolean) {
           putAlertRules(organizationId: $o, applicationId: $a, alertRules: $rules, dryRun: $dryRun) { results { status warnings } } }`,
        {
          o: owner.id,
          a: at.split('/').at(-1),
          dryRun,
          rules: [
            { ...rule, externalId: 'rare', tags: ['rare'] },
            { ...rule, externalId: 'often', tags: ['often'] },
            { ...rule, externalId: 'wrong', name: '' },
          ],
        },
      );
      return body.data!['putAlertRules'].results as object[];
    };
    const results = (status: string) => [
      { status, warnings: [expect.stringContaining('they send a record every 7200 s')] },
      { status, warnings: [] },
      { status: 'failed', warnings: null },
    ];
    expect(await put(true)).toEqual(results('created'));
    expect(await put(false)).toEqual(results('created'));
    expect(await put(false)).toEqual(results('unchanged'));
  });
});
