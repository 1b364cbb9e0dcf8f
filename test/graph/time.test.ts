import { describe, expect, it } from '@jest/globals';
import { Role } from '#entities/enums.js';
import { until } from '../support/until.js';
import { useWorld, type World } from '../support/world.js';

const world = useWorld({ config: { graph: { timeout: 700 } } });
/** A service with a long timeout. */
const patient = useWorld();

/** Holds a lock that blocks every statement on the table while `work` runs. */
async function whileLocked({ pool }: World, table: 'device' | 'team', work: () => Promise<void>): Promise<void> {
  const blocker = await pool.connect();
  await blocker.query(`begin; lock table ${table} in access exclusive mode`);
  try {
    await work();
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
}

/** Counts the service's statements that wait for a lock. */
async function waiting({ pool }: World): Promise<number> {
  const { rowCount } = await pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rowCount!;
}

/** Resolves when the given number of statements wait for a lock; fails after a while. */
async function untilWaiting(world: World, count: number): Promise<void> {
  const until = Date.now() + 30_000;
  while ((await waiting(world)) !== count) {
    if (Date.now() > until) throw new Error(`${await waiting(world)} statements wait, not ${count}.`);
  }
}

const tooLong = { message: expect.stringContaining('This took longer than'), extensions: { code: 'TIMEOUT' } };

describe('GraphQL timeout', () => {
  it.each([
    ['a heavy query', 1000],
    ['a light query', 10],
  ])('stops the query and its SQL: %s', async (_kind, limit) => {
    const owner = await world.organization();
    await whileLocked(world, 'device', async () => {
      const { body } = await owner.graph(
        'query ($o: ID!, $limit: Int!) { devices(organizationId: $o, limit: $limit) { items { id } } }',
        { o: owner.id, limit },
      );
      expect(body.errors).toMatchObject([tooLong]);
      await untilWaiting(world, 0);
    });
    // The service opens its connection anew, which may take longer than its timeout of 700 ms.
    await until(async () => {
      const { body } = await owner.graph('query ($o: ID!) { devices(organizationId: $o) { totalCount } }', {
        o: owner.id,
      });
      return body.data?.['devices']?.totalCount === 0;
    });
  });

  it('leaves nothing of a mutation that waits for a lock', async () => {
    const owner = await world.organization();
    await whileLocked(world, 'team', async () => {
      const { body } = await owner.graph('mutation ($o: ID!) { createTeam(organizationId: $o, name: "Late") { id } }', {
        o: owner.id,
      });
      expect(body.errors).toMatchObject([tooLong]);
      await untilWaiting(world, 0);
    });
    expect(await owner.get(`/organizations/${owner.id}/teams`)).toMatchObject({ status: 200, body: [] });
  });

  it('rolls back what a mutation wrote before it had to wait', async () => {
    const owner = await world.organization();
    const member = await world.member(owner, Role.member);
    const role = async () => (await owner.get(`/organizations/${owner.id}/members`)).body;
    const before = await role();
    const blocker = await world.pool.connect();
    await blocker.query('begin');
    await blocker.query('select from membership where user_id = $1 for update', [member.id]);
    const { body } = await owner.graph(
      'mutation ($o: ID!, $m: ID!) { removeOrganizationMember(organizationId: $o, memberId: $m) { id } }',
      { o: owner.id, m: member.id },
    );
    expect(body.errors).toMatchObject([tooLong]);
    await untilWaiting(world, 0);
    await blocker.query('rollback');
    blocker.release();
    expect(await role()).toEqual(before);
  });

  it('returns 504 over REST and changes nothing', async () => {
    const owner = await world.organization();
    await whileLocked(world, 'team', async () => {
      const answer = await owner.post(`/organizations/${owner.id}/teams`, { name: 'Late' });
      expect(answer).toMatchObject({ status: 504, body: { code: 'TIMEOUT' } });
      expect(await waiting(world)).toBe(0);
    });
    expect(await owner.get(`/organizations/${owner.id}/teams`)).toMatchObject({ status: 200, body: [] });
  });

  it('sends no further statements to the database', async () => {
    const owner = await world.organization();
    await owner.make(`/organizations/${owner.id}/applications`, { name: 'A' });
    const document = `query ($o: ID!) { applications(organizationId: $o) { items {
      devices(limit: 3) { items { applications(limit: 3) { items { devices(limit: 3) { items { id } } } } } } } } }`;
    await whileLocked(world, 'device', async () => {
      const { body } = await owner.graph(document, { o: owner.id });
      expect(body.errors).toMatchObject([tooLong]);
      await untilWaiting(world, 0);
    });
  });

  it('stops a heavy query before its timeout when the caller goes away', async () => {
    const owner = await patient.organization();
    const leaving = new AbortController();
    await whileLocked(patient, 'device', async () => {
      const call = fetch(`${patient.url}/graphql`, {
        method: 'POST',
        signal: leaving.signal,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${owner.token}` },
        body: JSON.stringify({
          query: 'query ($o: ID!) { devices(organizationId: $o, limit: 1000) { items { id } } }',
          variables: { o: owner.id },
        }),
      });
      await untilWaiting(patient, 1);
      leaving.abort();
      await expect(call).rejects.toThrow('aborted');
      await untilWaiting(patient, 0);
    });
  });
});
