import { beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { type AccountActor, useWorld } from '../support/world.js';

const world = useWorld();

const above = (value: number) => ({ all: [{ variable: 't', operator: 'gt', value }] });
const [open, closed] = [{ closedReason: null }, { closedReason: 'cleared' }];

describe('alert rules and episodes as GraphQL edges', () => {
  let owner: AccountActor;
  let member: AccountActor;
  let first: string;
  let second: string;
  beforeAll(async () => {
    owner = await world.organization();
    const at = `/organizations/${owner.id}`;
    [first, second] = [
      await owner.make(`${at}/applications`, { name: 'First' }),
      await owner.make(`${at}/applications`, { name: 'Second' }),
    ];
    const deviceId = await owner.make(`${at}/devices/d0-01`);
    for (const [applicationId, name] of [
      [first, 'In the first'],
      [second, 'In the second'],
    ]) {
      const application = `/applications/${owner.id}/${applicationId}`;
      await owner.put(`${application}/devices/${deviceId}`);
      await owner.make(`${application}/alert-rules`, { name, kind: 'threshold', when: above(8) });
    }
    const records = [9, 1, 10].map((t, index) => ({ serial: 'd0-01', ts: 1_700_000_000 + index, data: { t } }));
    await owner.post(`${at}/records`, records);
    member = await world.member(owner, Role.member);
    const teamId = await owner.make(`${at}/teams`, { name: 'Readers' });
    await owner.put(`/teams/${owner.id}/${teamId}/members/${member.id}`);
    await owner.put(`/teams/${owner.id}/${teamId}/applications/${first}`, { permission: 'read' });
  });

  const listed = async (actor: AccountActor, filter = '') => {
    const list = `episodes(sort: "state,name"${filter}) { totalCount items { name closedReason } }`;
    const { body } = await actor.graph(`{ account { ${list} } }`);
    return body.data?.['account'].episodes;
  };

  it('lists the episodes of an organization, open ones first', async () => {
    const names = ['In the first', 'In the second'];
    expect(await listed(owner)).toEqual({
      totalCount: 4,
      items: [open, closed].flatMap((state) => names.map((name) => ({ name, ...state }))),
    });
    expect(await listed(owner, `, state: open, applicationId: "${second}"`)).toEqual({
      totalCount: 1,
      items: [{ name: 'In the second', ...open }],
    });
  });

  it('shows a member only the episodes of readable applications', async () => {
    const own = [open, closed].map((state) => ({ name: 'In the first', ...state }));
    expect(await listed(member)).toEqual({ totalCount: 2, items: own });
    expect(await listed(member, `, applicationId: "${second}"`)).toEqual({ totalCount: 0, items: [] });
  });

  it('lists below each application the rules of that application alone', async () => {
    const { body } = await member.graph(
      `{ applications(organizationId: "${owner.id}") { items { alertRules { totalCount items { name } } } } }`,
    );
    const rules = { totalCount: 1, items: [{ name: 'In the first' }] };
    expect(body.data?.['applications']).toEqual({ items: [{ alertRules: rules }] });
  });
});
