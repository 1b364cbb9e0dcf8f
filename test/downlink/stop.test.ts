import { afterAll, describe, expect, it } from '@jest/globals';
import { AccountType } from '#entities/enums.js';
import { createAccount } from '#operator/account.js';
import { createToken } from '#operator/token.js';
import { Actor } from '../support/actor.js';
import { endPoolsOf, poolOf } from '../support/connection.js';
import { useDatabase } from '../support/database.js';
import { startTestService } from '../support/start-service.js';

const database = useDatabase();
afterAll(() => endPoolsOf(database.url));

describe('a service that stops', () => {
  it('answers the devices that wait for commands at once', async () => {
    const pool = poolOf(database.url);
    const account = { username: 'stopping', email: 'stopping@example.com' };
    const organizationId = await createAccount(pool, AccountType.organization, account, new Date());
    const { token } = await createToken(pool, { organizationId }, new Date());
    const service = await startTestService(database.url, {});
    const owner = new Actor(service.url, token);
    const id = await owner.make(`/organizations/${organizationId}/devices/d0-01`);
    const take = () => owner.get(`/devices/${organizationId}/${id}/commands?wait=60`);
    const waiting = Array.from({ length: 5 }, take);
    // Once the fifth is refused, the others wait.
    expect((await Promise.race(waiting)).status).toBe(429);
    await service.close();
    // Requests that take longer than the stop may are cut off.
    const answers = (await Promise.all(waiting)).filter(({ status }) => status === 200);
    expect(answers.map(({ body }) => body)).toEqual(Array.from({ length: 4 }, () => ({ commands: [] })));
  });
});
