import { describe, expect, it } from '@jest/globals';
import { Role, TokenScope } from '#entities/enums.js';
import { newLink } from '../auth/operations.js';
import { useWorld } from '../support/world.js';
import { addDevice, begun, buildLiveWorld, codeOf, type LiveWorld, values } from './live-world.js';
import { overEvents, overSocket, type Wanted } from './subscriber.js';

const world = useWorld();

/** A caller who may subscribe, and the way in which that right is taken away. */
interface Case {
  token: string;
  wanted: Wanted;
  withdraw(): Promise<unknown>;
}

/** Creates a member whose team has this permission on the application. */
async function memberOf({ owner, applicationId }: LiveWorld, permission: string) {
  const member = await world.member(owner, Role.member);
  const teamId = await owner.make(`/organizations/${owner.id}/teams`, { name: 'Field' });
  const team = `/teams/${owner.id}/${teamId}`;
  await owner.put(`${team}/members/${member.id}`);
  await owner.put(`${team}/applications/${applicationId}`, { permission });
  return { member, team };
}

const bearer = async ({ owner }: LiveWorld) => {
  const actor = await world.bearer({ organizationId: owner.id, scope: TokenScope.read });
  return { token: actor.token!, prefix: actor.token!.slice(0, 8) };
};

async function deliveries(
  place: LiveWorld,
  token: string,
  withdraw: (hookId: string) => Promise<unknown>,
): Promise<Case> {
  const applicationHookId = await place.owner.make(`${place.path}/hooks`, { url: 'http://127.0.0.1:9/' });
  const query = `subscription ($organizationId: ID!, $applicationId: ID!, $applicationHookId: ID!) {
    deliveryUpdated(organizationId: $organizationId, applicationId: $applicationId, applicationHookId: $applicationHookId) { missed } }`;
  const { variables } = place.records();
  return {
    token,
    wanted: { query, variables: { ...variables, applicationHookId } },
    withdraw: () => withdraw(applicationHookId),
  };
}

const cases: [name: string, code: string, make: (place: LiveWorld) => Promise<Case>][] = [
  [
    'the token is revoked',
    'UNAUTHENTICATED',
    async (place) => {
      const { token, prefix } = await bearer(place);
      const { body } = await place.owner.graph(`{ account { tokens(limit: 100) { items { id prefix } } } }`);
      const { id } = body.data!.account.tokens.items.find((each: { prefix: string }) => each.prefix === prefix);
      const revoke =
        'mutation ($organizationId: ID!, $id: ID!) { revokeApiToken(organizationId: $organizationId, tokenId: $id) { id } }';
      return {
        token,
        wanted: place.records(),
        withdraw: () => place.owner.graph(revoke, { organizationId: place.owner.id, id }),
      };
    },
  ],
  [
    'the link is ended',
    'UNAUTHENTICATED',
    async (place) => {
      const { id, token } = await newLink(place);
      const end = `mutation ($o: ID!, $a: ID!, $id: ID!) {
        deleteDashboardLink(organizationId: $o, applicationId: $a, linkId: $id) { id } }`;
      const withdraw = () => place.owner.graph(end, { o: place.owner.id, a: place.applicationId, id });
      return { token, wanted: place.records(), withdraw };
    },
  ],
  [
    'the token expires',
    'UNAUTHENTICATED',
    async (place) => {
      const { token, prefix } = await bearer(place);
      const expire = () => world.pool.query('update api_token set expires_at = now() where prefix = $1', [prefix]);
      return { token, wanted: place.records(), withdraw: expire };
    },
  ],
  [
    'the organization is disabled',
    'UNAUTHENTICATED',
    async (place) => {
      const disable = () => world.pool.query('update account set disabled = true where id = $1', [place.owner.id]);
      return { token: place.owner.token!, wanted: place.records(), withdraw: disable };
    },
  ],
  [
    'the membership ends',
    'UNAUTHENTICATED',
    async (place) => {
      const { member } = await memberOf(place, 'read');
      const remove = () => place.owner.delete(`/organizations/${place.owner.id}/members/${member.id}`);
      return { token: member.token!, wanted: place.records(), withdraw: remove };
    },
  ],
  [
    'the role changes',
    'FORBIDDEN',
    async (place) => {
      const { member } = await memberOf(place, 'read');
      const promote = () => place.owner.put(`/organizations/${place.owner.id}/members/${member.id}`, { role: 'owner' });
      return { token: member.token!, wanted: place.records(), withdraw: promote };
    },
  ],
  [
    'the member leaves the team',
    'NOT_FOUND',
    async (place) => {
      const { member, team } = await memberOf(place, 'read');
      const remove = () => place.owner.delete(`${team}/members/${member.id}`);
      return { token: member.token!, wanted: place.records(), withdraw: remove };
    },
  ],
  [
    'the team loses the application',
    'NOT_FOUND',
    async (place) => {
      const { member, team } = await memberOf(place, 'read');
      const remove = () => place.owner.delete(`${team}/applications/${place.applicationId}`);
      return { token: member.token!, wanted: place.records(), withdraw: remove };
    },
  ],
  [
    'the application is deleted',
    'NOT_FOUND',
    async (place) => ({
      token: place.owner.token!,
      wanted: place.records(),
      withdraw: () => place.owner.delete(place.path),
    }),
  ],
  [
    'the team may only read, and deliveries are for writers',
    'FORBIDDEN',
    async (place) => {
      const { member, team } = await memberOf(place, 'write');
      const lower = () => place.owner.put(`${team}/applications/${place.applicationId}`, { permission: 'read' });
      return deliveries(place, member.token!, lower);
    },
  ],
  [
    'the hook is deleted',
    'NOT_FOUND',
    async (place) => deliveries(place, place.owner.token!, (id) => place.owner.delete(`${place.path}/hooks/${id}`)),
  ],
];

describe('access of a subscription', () => {
  it.each(cases)('ends when %s (%s)', async (_name, code, make) => {
    const place = await buildLiveWorld(world);
    const { token, wanted, withdraw } = await make(place);
    const subscribers = [overSocket(world.url, token, wanted), overEvents(world.url, token, wanted)];
    for (const subscriber of subscribers) await subscriber.until(begun);
    await withdraw();
    for (const subscriber of subscribers) {
      await subscriber.until(({ over }) => over);
      expect(codeOf(subscriber)).toBe(code);
    }
  });
});

it('sends a subscriber no records of a device that is no longer linked', async () => {
  const place = await buildLiveWorld(world);
  const { owner, path, deviceId } = place;
  const subscriber = overSocket(world.url, owner.token, place.records());
  await subscriber.until(begun);
  await place.send({ linked: 1 });
  await subscriber.until((heard) => values(heard).length === 1);
  await owner.delete(`${path}/devices/${deviceId}`);
  await place.send({ unlinked: 2 });
  const other = await addDevice(place);
  await owner.post(`/organizations/${owner.id}/records`, { serial: other.serial, data: { linked: 3 } });
  await subscriber.until((heard) => values(heard).length >= 2);
  expect(values(subscriber)).toEqual([{ linked: 1 }, { linked: 3 }]);
  subscriber.leave();
});

it("sends a member records of an application that the member's team may read", async () => {
  const place = await buildLiveWorld(world);
  const { member } = await memberOf(place, 'read');
  const subscriber = overEvents(world.url, member.token, place.records());
  await subscriber.until(begun);
  await place.send({ n: 1 });
  await subscriber.until((heard) => values(heard).length === 1);
  expect(values(subscriber)).toEqual([{ n: 1 }]);
  subscriber.leave();
});
