import { expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import type { GraphAnswer } from '../support/actor.js';
import { useWorld } from '../support/world.js';

const world = useWorld();
const nobody = '00000000-0000-7000-8000-000000000000';

it('returns the other fields of a GraphQL query when one field fails', async () => {
  const owner = await world.organization();
  const deviceId = await owner.make(`/organizations/${owner.id}/devices/aa-01`);
  const query = `query ($o: ID!, $good: ID!, $bad: ID!) {
    good: device(organizationId: $o, deviceId: $good) { serial }
    bad: device(organizationId: $o, deviceId: $bad) { serial }
    worse: devices(organizationId: $bad) { totalCount }
    wrong: devices(organizationId: $o, sort: "color") { totalCount }
  }`;
  // The second request takes the cached document.
  for (const _time of ['first', 'again']) {
    const { status, body } = await owner.graph(query, { o: owner.id, good: deviceId, bad: nobody });
    expect(status).toBe(200);
    expect(body.data).toEqual({ good: { serial: 'aa-01' }, bad: null, worse: null, wrong: null });
    const codes = body.errors!.map(({ path, extensions }) => [path![0], extensions.code]).sort();
    expect(codes).toEqual([
      ['bad', 'NOT_FOUND'],
      ['worse', 'NOT_FOUND'],
      ['wrong', 'VALIDATION_FAILED'],
    ]);
  }
});

it('returns the results of the other mutations in a GraphQL document when one fails', async () => {
  const owner = await world.organization();
  const { body } = await owner.graph(
    `mutation ($o: ID!) {
      first: createTeam(organizationId: $o, name: "One") { name }
      second: deleteTeam(organizationId: $o, teamId: "${nobody}") { name }
      third: createTeam(organizationId: $o, name: "Three") { name }
    }`,
    { o: owner.id },
  );
  expect(body.data).toEqual({ first: { name: 'One' }, second: null, third: { name: 'Three' } });
  expect(body.errors).toMatchObject([{ path: ['second'], extensions: { code: 'NOT_FOUND' } }]);
});

it('stores nothing of a refused mutation with a later one of the document', async () => {
  const [owner, other] = [await world.organization(), await world.organization()];
  const own = `/organizations/${owner.id}`;
  const applicationId = await owner.make(`${own}/applications`, { name: 'Field' });
  const rules = `/applications/${owner.id}/${applicationId}/alert-rules`;
  const ruleId = await owner.make(rules, { name: 'Quiet', kind: 'silence', silentFor: 60 });
  const teamId = await owner.make(`${own}/teams`, { name: 'Before' });
  const { body: account } = await owner.get<{ email: string }>('/account');
  const { body: taken } = await other.get<{ username: string }>('/account');
  const { body } = await owner.graph(
    `mutation ($o: ID!, $a: ID!, $r: ID!, $t: ID!, $username: String!, $nobody: ID!) {
      username: updateAccount(email: "new@example.com", username: $username) { id }
      rule: updateAlertRule(organizationId: $o, applicationId: $a, alertRuleId: $r, name: "Loud", products: [$nobody]) { id }
      team: updateTeam(organizationId: $o, teamId: $t, name: "After") { name }
    }`,
    { o: owner.id, a: applicationId, r: ruleId, t: teamId, username: taken.username, nobody },
  );
  expect(body.data).toEqual({ username: null, rule: null, team: { name: 'After' } });
  expect(body.errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }, { extensions: { code: 'NOT_FOUND' } }]);
  expect((await owner.get('/account')).body).toMatchObject({ email: account.email });
  expect((await owner.get(`${rules}/${ruleId}`)).body).toMatchObject({ name: 'Quiet' });
});

it('reads again in each mutation of a GraphQL document', async () => {
  const owner = await world.organization();
  const user = await world.user();
  const count = 'updateOrganization(organizationId: $o, email: $email, username: $username) { memberCount }';
  const { body: account } = await owner.get<{ email: string; username: string }>('/account');
  const { body } = await owner.graph(
    `mutation ($o: ID!, $user: ID!, $email: EmailAddress!, $username: String!) {
      before: ${count}
      add: setOrganizationMember(organizationId: $o, memberId: $user) { id }
      after: ${count}
    }`,
    { o: owner.id, user, email: account.email, username: account.username },
  );
  const { before, after } = body.data as Record<string, { memberCount: number }>;
  expect(after!.memberCount).toBe(before!.memberCount + 1);
});

it('returns the other fields to a member who may not read one of them, in a batch too', async () => {
  const owner = await world.organization();
  const member = await world.member(owner, Role.member);
  const query =
    'query ($o: ID!) { apiTokens(organizationId: $o) { totalCount } organization(organizationId: $o) { id } }';
  const { body } = await member.postGraph<GraphAnswer[]>([{ query, variables: { o: owner.id } }]);
  expect(body).toMatchObject([
    { data: { apiTokens: null, organization: { id: owner.id } }, errors: [{ extensions: { code: 'FORBIDDEN' } }] },
  ]);
});
