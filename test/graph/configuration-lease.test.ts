import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';

const world = useWorld();

const lease = (o: string, id: string, renew = false) => ({
  query: `mutation ($o: ID!, $id: ID!) { leaseConfiguration(organizationId: $o, leaseId: $id, renew: ${renew}) { expiresAt } }`,
  variables: { o, id },
});

describe('leaseConfiguration', () => {
  it('refuses a second holder until the first ends its lease or lets it expire', async () => {
    const owner = await world.organization();
    const [first, second] = [randomUUID(), randomUUID()];
    const take = async (id: string, renew = false) => {
      const { query, variables } = lease(owner.id, id, renew);
      const { body } = await owner.graph(query, variables);
      return body.errors?.[0]?.extensions['code'] ?? new Date(body.data!['leaseConfiguration'].expiresAt) > new Date();
    };
    const end = async (id: string) => {
      const query =
        'mutation ($o: ID!, $id: ID!) { endConfigurationLease(organizationId: $o, leaseId: $id) { expiresAt } }';
      return (await owner.graph(query, { o: owner.id, id })).body.data!['endConfigurationLease'] !== null;
    };
    expect(await take(first, true)).toBe('CONFLICT');
    expect([await take(first), await take(first), await take(first, true)]).toEqual([true, true, true]);
    expect([await take(second), await end(second)]).toEqual(['CONFLICT', false]);
    expect([await end(first), await end(first)]).toEqual([true, false]);
    expect([await take(second), await take(first)]).toEqual([true, 'CONFLICT']);
    await world.pool.query(`update configuration_lease set expires_at = now() - interval '1 s'`);
    expect(await take(second, true)).toBe(true);
    await world.pool.query(`update configuration_lease set expires_at = now() - interval '1 s'`);
    expect([await take(first), await take(second, true)]).toEqual([true, 'CONFLICT']);
    expect(await take('no-uuid')).toBe('VALIDATION_FAILED');
  });

  it('undoes the atomic batch of a holder that lost its lease', async () => {
    const owner = await world.organization();
    const made = {
      query: 'mutation ($o: ID!) { createTeam(organizationId: $o, name: "Crew") { id } }',
      variables: { o: owner.id },
    };
    const batch = (id: string) =>
      owner.postGraph([{ ...lease(owner.id, id, true), extensions: { atomic: true } }, made]);
    const teams = async () => (await owner.get<object[]>(`/organizations/${owner.id}/teams`)).body.length;
    const [holder, other] = [randomUUID(), randomUUID()];
    const { query, variables } = lease(owner.id, holder);
    await owner.graph(query, variables);
    await batch(other);
    expect(await teams()).toBe(0);
    await batch(holder);
    expect(await teams()).toBe(1);
  });
});
