import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { createLog } from '#common/log.js';
import { createPool } from '#database/pools.js';
import { newId } from '#entities/id.js';
import { createJobs } from '#jobs/jobs.js';
import { type Subject, useHookWorld } from '../../hooks/hook-world.js';
import { startReceiver } from '../../hooks/receiver.js';

const world = useHookWorld();

/** Adds hooks to the application of a subject. */
async function addHooks({ organizationId, applicationId }: Subject, urls: readonly string[]): Promise<void> {
  await world.pool.query(sql`
    insert into hook (id, organization_id, application_id, url, created_at, updated_at)
    select id, ${organizationId}, ${applicationId}, url, now(), now()
      from unnest(${urls.map(() => newId())}::uuid[], ${urls}::text[]) h (id, url)`);
}

describe('hooks and jobs of one organization', () => {
  it("delays no other organization's DNS lookups when its name servers do not answer", async () => {
    const receiver = await startReceiver();
    const port = new URL(receiver.url()).port;
    const lookedUp: string[] = [];
    const hooks = await world.open({
      lookups: 4,
      resolve: (hostname) => {
        lookedUp.push(hostname);
        return hostname === 'quick.example' ? Promise.resolve(['127.0.0.1']) : new Promise(() => undefined);
      },
    });
    const attacker = await world.subject({ url: 'http://slow.example/' });
    await addHooks(
      attacker,
      Array.from({ length: 30 }, (_, index) => `http://slow-${index}.example/`),
    );
    await world.store(hooks, attacker, 2);
    await world.turn(hooks);
    expect(lookedUp.length).toBeGreaterThan(0);

    const victim = await world.subject({ url: `http://quick.example:${port}/` });
    await world.store(hooks, victim);
    const [row] = await world.until(victim, ([first]) => first?.attempts_made === 1);
    expect(row).toMatchObject({ state: 'succeeded' });
    await receiver.close();
  });

  it("leaves slots for other organizations' calls when hundreds of its hooks hang", async () => {
    const hanging = await startReceiver(() => undefined);
    const receiver = await startReceiver();
    const hooks = await world.open({ timeout: 60_000 });
    const attacker = await world.subject({ url: hanging.url() });
    await addHooks(
      attacker,
      Array.from({ length: 149 }, () => hanging.url()),
    );
    await world.store(hooks, attacker, 8);
    // One organization never gets more than half of all concurrent calls.
    await hanging.received(450);

    const victim = await world.subject({ url: receiver.url(), concurrency: 1 });
    await world.store(hooks, victim, 5);
    await world.drained([victim]);
    expect(receiver.calls).toHaveLength(5);
    expect(hanging.busiest).toBeLessThanOrEqual(500);
    await hanging.close();
    await receiver.close();
  });

  it("leaves other organizations' jobs their turn when its job never ends", async () => {
    const pool = createPool(world.url);
    const [busy, other] = [
      await world.subject({ url: 'http://127.0.0.1:9/' }),
      await world.subject({ url: 'http://127.0.0.1:9/' }),
    ];
    const jobs = createJobs({
      pool,
      clock: Date.now,
      log: createLog('fatal'),
      kinds: {
        endless: async () => ({ cursor: null, done: 1, changed: 0, finished: false }),
        short: async () => ({ cursor: null, done: 1, changed: 0, finished: true }),
      },
      isConnectionLoss: () => false,
    });
    for (let number = 0; number < 3; number++) await jobs.ask(busy.organizationId, 'endless', null);
    const { id } = await jobs.ask(other.organizationId, 'short', null);
    jobs.start();
    const stateOf = async (): Promise<string | undefined> => (await jobs.find(other.organizationId, id))?.state;
    const until = Date.now() + 30_000;
    while ((await stateOf()) !== 'done' && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await stateOf()).toBe('done');
    await jobs.close();
    await pool.query('delete from job');
    await pool.end();
  });
});
