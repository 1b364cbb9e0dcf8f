import { expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { useWorld } from '../support/world.js';

const world = useWorld();

const query = 'query ($o: ID!) { organization(organizationId: $o) { timeZone } }';
const mutation =
  'mutation ($o: ID!, $timeZone: String!) { setOrganizationTimeZone(organizationId: $o, timeZone: $timeZone) { timeZone } }';

it('keeps the time zone of an organization, which REST neither shows nor changes', async () => {
  const owner = await world.organization();
  const member = await world.member(owner, Role.member);
  const zone = async () => (await member.graph(query, { o: owner.id })).body.data;
  const { body: account } = await owner.get<{ email: string; username: string }>('/account');
  expect(await zone()).toEqual({ organization: { timeZone: 'UTC' } });
  const { body } = await owner.graph(mutation, { o: owner.id, timeZone: 'Asia/Kathmandu' });
  expect(body).toEqual({ data: { setOrganizationTimeZone: { timeZone: 'Asia/Kathmandu' } } });
  expect(await zone()).toEqual({ organization: { timeZone: 'Asia/Kathmandu' } });
  expect(Object.keys(account)).not.toContain('timeZone');
  await owner.put(`/organizations/${owner.id}`, { email: account.email, username: account.username });
  expect(await zone()).toEqual({ organization: { timeZone: 'Asia/Kathmandu' } });
  const events = await owner.graph(
    `query ($o: ID!) { auditEvents(organizationId: $o, filter: { action: "setOrganizationTimeZone" }) {
      items { changes { field before after } } } }`,
    { o: owner.id },
  );
  expect(events.body.data).toEqual({
    auditEvents: {
      items: [{ changes: [{ field: 'timeZone', before: 'UTC', after: 'Asia/Kathmandu' }] }],
    },
  });
});

it('refuses a time zone that does not exist', async () => {
  const owner = await world.organization();
  for (const timeZone of ['Mars/Olympus', '+25:00', 'x'.repeat(101), ' ']) {
    const { body } = await owner.graph(mutation, { o: owner.id, timeZone });
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'timeZone' }] } }]);
  }
});
