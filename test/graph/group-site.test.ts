import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { ask, call, move, newSite } from './sites.js';

const world = useWorld();
/** 2023-11-14T00:00:00Z */
const start = 1_699_920_000;
const hour = 3600;

let owner: AccountActor;
let campus: string;
let buildings: string[];
let room: string;

interface Line {
  key: string | null;
  name: string | null;
  ts: number[];
  values: number[];
  devices: number[];
  expected: number[];
}

const lines = (values: object, who = owner) =>
  ask<Line[]>(
    who,
    `query ($o: ID!, $over: GroupInput!, $from: UnixTime, $to: UnixTime, $interval: Int, $split: GroupSplit, $fill: GroupFill, $perDevice: DeviceReduction = increase) {
      answer: groupSeries(organizationId: $o, over: $over, variable: "energy", from: $from, to: $to, interval: $interval, perDevice: $perDevice, combine: sum, split: $split, fill: $fill) {
        key name ts values devices expected } }`,
    { from: start, to: start + 4 * hour, ...values },
  );

beforeAll(async () => {
  owner = await world.organization();
  campus = await newSite(owner, 'Campus');
  buildings = [await newSite(owner, 'Building 1', campus), await newSite(owner, 'Building 2', campus)];
  room = await newSite(owner, 'Room', buildings[1]);
  const ids: string[] = [];
  for (const serial of ['a1', 'a2', 'a3'])
    ids.push(await owner.make(`/organizations/${owner.id}/devices/${serial}`, {}));
  await move(owner, [ids[0]!], buildings[0]!, start - 10 * hour);
  await move(owner, [ids[1]!], room, start - 10 * hour);
  // The first meter moves after two hours.
  await move(owner, [ids[0]!], room, start + 2 * hour);
  const records = ['a1', 'a2', 'a3'].flatMap((serial, device) =>
    [0, 1, 2, 3].map((each) => ({ serial, ts: start + each * hour, data: { energy: each * 10 ** device } })),
  );
  await owner.post(`/organizations/${owner.id}/records`, records);
});

describe('groupSeries over sites', () => {
  it('counts a moved meter where it measured', async () => {
    const [first] = await lines({ over: { siteId: buildings[0] }, interval: hour });
    expect(first).toMatchObject({ values: [0, 1], devices: [1, 1], expected: [1, 1] });
    const [second] = await lines({ over: { siteId: buildings[1] }, interval: hour });
    expect(second).toMatchObject({ values: [0, 10, 11, 11], devices: [1, 1, 2, 2], expected: [1, 1, 2, 2] });
    expect((await lines({ over: { siteId: campus } }))[0]).toMatchObject({ values: [33], devices: [2], expected: [2] });
  });

  it('has a line for each site below, or at the top', async () => {
    expect(await lines({ over: { siteId: campus }, split: 'site' })).toMatchObject([
      { key: buildings[1], name: 'Building 2', values: [32], devices: [2] },
      { key: buildings[0], name: 'Building 1', values: [1], devices: [1] },
    ]);
    expect(await lines({ over: { devices: {} }, split: 'site' })).toMatchObject([
      { key: campus, name: 'Campus', values: [33], devices: [2] },
      { key: null, name: null, values: [300], devices: [1] },
    ]);
  });

  it('keeps no number of a device that has left', async () => {
    const call = { over: { siteId: buildings[0] }, interval: hour, fill: 'previous', perDevice: 'last' };
    expect((await lines(call))[0]!.ts).toEqual([start, start + hour]);
  });

  it('answers below a site, as the query does', async () => {
    const { groupSeries } = await ask<{ groupSeries: Line[] }>(
      owner,
      `query ($o: ID!, $s: ID!) { answer: site(organizationId: $o, siteId: $s) {
        groupSeries(variable: "energy", from: ${start}, to: ${start + 4 * hour}, perDevice: increase, combine: sum) { values } } }`,
      { s: campus },
    );
    expect(groupSeries).toEqual([{ values: [33] }]);
  });

  it('does not find sites of others, and those without a readable device', async () => {
    const text =
      'query ($o: ID!, $s: ID!) { groupSeries(organizationId: $o, over: { siteId: $s }, variable: "energy") { ts } }';
    const member = await world.member(owner, Role.member);
    const asMember = (await member.graph(text, { o: owner.id, s: campus })).body;
    expect(asMember.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    const other = await world.organization();
    expect((await call(other, text, { s: campus })).errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });
});
