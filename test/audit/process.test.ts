import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Service } from '#app/app.js';
import { TokenScope } from '#entities/enums.js';
import { Actor } from '../support/actor.js';
import { AccountActor, useWorld } from '../support/world.js';

const world = useWorld({});
let others: Service[];

beforeAll(async () => {
  const { startTestService } = await import('../support/start-service.js');
  others = [await startTestService(world.databaseUrl), await startTestService(world.databaseUrl)];
});
afterAll(() => Promise.all(others.map((service) => service.close())));

interface Event {
  action: string;
  outcome: string;
  requestId: string;
}

describe('the audit log of two processes', () => {
  it('has the changes of both, in the order of their times', async () => {
    const here = await world.organization();
    const there = new AccountActor(others[0]!.url, here.token!, here.id);
    const teams = `/organizations/${here.id}/teams`;
    const id = await here.make(teams, { name: 'Made here' });
    const changed = await there.put(`/teams/${here.id}/${id}`, { name: 'Changed there' });
    const deleted = await here.delete(`/teams/${here.id}/${id}`);
    const { body } = await there.get<Event[]>(`/organizations/${here.id}/audit?target=${id}`);
    expect(body.map(({ action }) => action)).toEqual(['deleteTeam', 'updateTeam', 'createTeam']);
    const requests = [deleted, changed].map(({ headers }) => headers.get('x-request-id'));
    expect(body.slice(0, 2).map(({ requestId }) => requestId)).toEqual(requests);
  });

  it('has one refusal of an actor and an action in a minute, whichever process refused', async () => {
    const owner = await world.organization();
    const { token } = await world.bearer({ organizationId: owner.id, scope: TokenScope.read });
    const at = (url: string) => new Actor(url, token);
    const [first, second, third] = [world.url, ...others.map(({ url }) => url)].map(at) as [Actor, Actor, Actor];
    const refuse = async (actor: Actor, what: string) => {
      const { status } = await actor.call('POST', `/organizations/${owner.id}/${what}`, { name: 'No' });
      expect(status).toBe(403);
    };
    await Promise.all([first, second, first, second].map((actor) => refuse(actor, 'teams')));
    await refuse(second, 'applications');
    const refusals = async () => {
      const { body } = await owner.get<Event[]>(`/organizations/${owner.id}/audit?outcome=refused`);
      return body.map(({ action }) => action);
    };
    expect(await refusals()).toEqual(['createApplication', 'createTeam']);
    // Simulates the next minute, and a process that has refused nothing yet and so remembers nothing.
    await world.pool.query(`update audit_noted set at = at - interval '1 minute' where key like '%createTeam%'`);
    await refuse(third, 'teams');
    await refuse(third, 'applications');
    expect(await refusals()).toEqual(['createTeam', 'createApplication', 'createTeam']);
  });
});
