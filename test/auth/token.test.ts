import { expect, it } from '@jest/globals';
import { Role, TokenScope } from '#entities/enums.js';
import { Actor } from '../support/actor.js';
import { useWorld } from '../support/world.js';

const world = useWorld();

const create = `mutation ($o: ID!, $at: DateTimeISO) {
  createApiToken(organizationId: $o, expiresAt: $at) { token apiToken { expiresAt } } }`;

it('creates an API token that expires later, and refuses an expiry in the past', async () => {
  const owner = await world.organization();
  const later = await owner.graph(create, { o: owner.id, at: '2999-01-01T00:00:00.000Z' });
  const { token, apiToken } = later.body.data!.createApiToken;
  expect(apiToken.expiresAt).toBe('2999-01-01T00:00:00.000Z');
  expect((await new Actor(world.url, token).graph('{ account { id } }')).body.data!.account.id).toBe(owner.id);
  const past = await owner.graph(create, { o: owner.id, at: '2020-01-01T00:00:00.000Z' });
  expect(past.body.errors).toMatchObject([
    {
      message: 'expiresAt must be in the future.',
      extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'expiresAt' }] },
    },
  ]);
});

it('returns scope, role and member of the calling token in the query viewer', async () => {
  const owner = await world.organization();
  const member = await world.member(owner, Role.member);
  const reader = await world.bearer({ organizationId: owner.id, scope: TokenScope.read });
  const viewerOf = async (actor: Actor) => (await actor.graph('{ viewer { scope role userId } }')).body.data!.viewer;
  expect(await viewerOf(owner)).toEqual({ scope: 'full', role: 'owner', userId: null });
  expect(await viewerOf(member)).toEqual({ scope: 'full', role: 'member', userId: member.id });
  expect(await viewerOf(reader)).toEqual({ scope: 'read', role: 'owner', userId: null });
});
