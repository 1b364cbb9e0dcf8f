import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { until } from '../../support/until.js';
import { type AccountActor, useWorld } from '../../support/world.js';

// A request of the graph has twice the time.
const world = useWorld({ config: { graph: { timeout: 2500 } } });
let owner: AccountActor;
let blocker: pg.PoolClient | undefined;

/** Time after which PostgreSQL itself cancels such a read, in milliseconds. */
const ownLimit = 5000;

beforeAll(async () => {
  owner = await world.organization();
});
afterEach(async () => {
  await blocker?.query('rollback');
  blocker?.release();
  blocker = undefined;
});

/** Makes every read of teams wait until the end of the test. */
async function block(): Promise<void> {
  blocker = await world.pool.connect();
  await blocker.query('begin; lock table team in access exclusive mode');
}

/** Returns the ages of the statements that still wait for the lock, in milliseconds. */
const waiting = async (): Promise<number[]> => {
  const { rows } = await world.pool.query<{ age: number }>(`
    select extract(epoch from clock_timestamp() - query_start)::float8 * 1000 as age from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and application_name = 'ddp slow read'`);
  return rows.map(({ age }) => age);
};

/** Waits until no statement waits for the lock. Returns the age at which the last one ended, in milliseconds. */
async function lastAge(): Promise<number> {
  let last = 0;
  await until(async () => {
    const ages = await waiting();
    last = Math.max(last, ...ages);
    return ages.length === 0;
  });
  return last;
}

const query = 'query ($o: ID!) { teams(organizationId: $o) { totalCount items { name } } }';

describe('a slow read that nobody waits for', () => {
  it('ends when the time of its request is over', async () => {
    await block();
    const { body } = await owner.graph(query, { o: owner.id });
    expect(body.errors).toMatchObject([{ extensions: { code: 'TIMEOUT' } }]);
    expect(await lastAge()).toBeLessThan(ownLimit - 1500);
  });

  it('ends when the caller hangs up', async () => {
    await block();
    const left = new AbortController();
    const answer = fetch(`${world.url}/ddp/v1/organizations/${owner.id}/teams`, {
      headers: { authorization: `Bearer ${owner.token}` },
      signal: left.signal,
    }).catch((error: Error) => error.name);
    await until(async () => (await waiting()).length > 0);
    left.abort();
    expect(await answer).toBe('AbortError');
    expect(await lastAge()).toBeLessThan(ownLimit - 1500);
  });
});
