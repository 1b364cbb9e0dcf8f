import { describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import sql from 'sql-template-tag';
import { createLog } from '#common/log.js';
import { createPool } from '#database/pools.js';
import { createJobs, type Jobs } from '#jobs/jobs.js';
import { useHookWorld } from './hook-world.js';
import { startReceiver } from './receiver.js';

const world = useHookWorld();

/** Creates a hook with the given number of ended deliveries. */
async function ended(count: number) {
  const receiver = await startReceiver();
  const hooks = await world.open({ schedule: [] });
  const subject = await world.subject({ url: receiver.url() });
  await world.store(hooks, subject, count);
  await world.drained([subject]);
  return { receiver, hooks, subject };
}

/** Resolves when the given number of database sessions wait for a lock. */
async function blocked(count: number): Promise<void> {
  for (;;) {
    const { rows } = await world.pool.query(sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`);
    if (rows.length >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('concurrent redeliveries', () => {
  it('accepts each of three requests that wait for the lock of one delivery', async () => {
    const { receiver, hooks, subject } = await ended(1);
    const [delivery] = await world.deliveries(subject);
    const holder = await world.pool.connect();
    await holder.query('begin');
    await holder.query(sql`
      update delivery set state = 'pending', done = false where hook_id = ${subject.hookId} and id = ${delivery!.id}`);
    const again = [1, 2, 3].map(() => hooks.redeliver(subject.hookId, delivery!.id));
    await blocked(3);
    await holder.query('commit');
    holder.release();
    await expect(Promise.all(again)).resolves.toHaveLength(3);
    await world.until(subject, ([row]) => row?.state === 'succeeded' && row.attempts_made >= 2);
    await receiver.close();
  });

  it('finishes four jobs that redeliver the same deliveries', async () => {
    const { receiver, hooks, subject } = await ended(40);
    const holder = await world.pool.connect();
    await holder.query('begin');
    await holder.query(sql`update delivery set updated_at = updated_at where hook_id = ${subject.hookId}`);
    const pools: pg.Pool[] = [];
    const workers: Jobs[] = [];
    // Each worker has its own pool, like a process: a worker runs one job at a time.
    for (let number = 0; number < 4; number++) {
      const pool = createPool(world.url);
      pools.push(pool);
      workers.push(
        createJobs({
          pool,
          clock: Date.now,
          log: createLog('fatal'),
          kinds: { redeliver: hooks.steps.redeliver },
          isConnectionLoss: () => false,
        }),
      );
    }
    const input = { hookId: subject.hookId, from: null, to: null, state: 'succeeded' };
    const jobs = await Promise.all(workers.map((worker) => worker.ask(subject.organizationId, 'redeliver', input)));
    for (const worker of workers) worker.start();
    await blocked(4);
    await holder.query('commit');
    holder.release();
    const states = await Promise.all(
      jobs.map(async ({ id }) => {
        for (;;) {
          const job = await workers[0]!.find(subject.organizationId, id);
          const state: string | undefined = job?.state;
          if (state === 'done' || state === 'failed') return state;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }),
    );
    expect(states).toEqual(['done', 'done', 'done', 'done']);
    await world.drained([subject]);
    for (const worker of workers) await worker.close();
    for (const pool of pools) await pool.end();
    await receiver.close();
  });
});
