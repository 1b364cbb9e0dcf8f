import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { useHookWorld } from '../hook-world.js';
import { startReceiver } from '../receiver.js';

const world = useHookWorld();
const program = fileURLToPath(new URL('../worker.js', import.meta.url));
/** Number of times that the deliveries are interrupted; `npm run test:faults` asks for more. */
const rounds = Number(process.env['FAULT_ROUNDS'] ?? 2);

/** Starts a process that sends deliveries. */
async function startWorker(): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [program, world.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(worker.stdout, 'data');
  return worker;
}

const ended = async (worker: ChildProcess, signal: NodeJS.Signals) => {
  const exit = once(worker, 'exit');
  worker.kill(signal);
  await exit;
};

describe('kill -9 of one of two delivering processes', () => {
  it.each(Array.from({ length: rounds }, (_, round) => round + 1))(
    'loses no delivery, and repeats at most the leased ones (round %i)',
    async () => {
      const count = 2000;
      world.now = Date.now();
      const receiver = await startReceiver();
      const storing = await world.open();
      await storing.close(0);
      const subjects = await Promise.all(
        Array.from({ length: 10 }, (_, index) => world.subject({ url: receiver.url(`/${index}`), concurrency: 32 })),
      );
      for (const subject of subjects) await world.store(storing, subject, count / subjects.length);
      const [victim, survivor] = await Promise.all([startWorker(), startWorker()]);
      await receiver.received(count / 3);
      await ended(victim, 'SIGKILL');
      // The survivor shuts down in order: it settles what it has, and releases the rest.
      await ended(survivor, 'SIGTERM');
      const { rows } = await world.pool.query<{ leased: number }>(sql`select count(*)::int leased from delivery_lease`);
      const leased = rows[0]!.leased;

      // When the victim's leases expire, a new process takes them over. Its clock runs and its deadline is long: on a
      // busy machine a call may fail and is then repeated.
      await world.open({ clock: () => Date.now() + 61_000, timeout: 20_000 });
      await world.drained(subjects);
      const ids = receiver.calls.map(({ headers }) => headers['x-service-delivery-id']);
      expect(new Set(ids).size).toBe(count);
      // Every call is either settled as an attempt (on a busy machine some fail and are repeated), or was the victim's.
      const { rows: settled } = await world.pool.query<{ attempts: number }>(sql`
        select sum(attempts_made)::int attempts from delivery
         where hook_id = any(${subjects.map(({ hookId }) => hookId)}::uuid[])`);
      expect(ids.length - settled[0]!.attempts).toBeLessThanOrEqual(leased);
      await receiver.close();
    },
  );
});

describe('shutdown of hooks before calls have ended', () => {
  it('releases the deliveries, which are due at once and count no attempt', async () => {
    const receiver = await startReceiver(() => undefined);
    const hooks = await world.open({ timeout: 60_000 });
    const subject = await world.subject({ url: receiver.url() });
    await world.store(hooks, subject);
    await receiver.received(1);
    await hooks.close(10);
    const [delivery] = await world.deliveries(subject);
    expect(delivery).toMatchObject({ state: 'pending', attempts_made: 0, request: null });
    expect(Date.parse(delivery!.next_attempt_at)).toBeLessThanOrEqual(world.now);
    await receiver.close();
  });
});

describe('webhook deliveries during a database outage', () => {
  it('settles the calls of the outage when the database is back, and continues', async () => {
    const waiting: (() => void)[] = [];
    const receiver = await startReceiver((response) => void waiting.push(() => response.end()));
    const hooks = await world.open({ timeout: 20_000 });
    const subject = await world.subject({ url: receiver.url(), concurrency: 4 });
    await world.store(hooks, subject, 8);
    await receiver.received(4);
    const back = await world.outage();
    for (const answer of waiting.splice(0)) answer();
    await back();
    hooks.wake();
    await receiver.received(8);
    for (const answer of waiting.splice(0)) answer();
    const rows = await world.until(subject, (all) => all.every(({ state }) => state === 'succeeded'));
    expect(rows.every(({ attempts_made }) => attempts_made === 1)).toBe(true);
    expect(receiver.calls).toHaveLength(8);
    await receiver.close();
  });
});

describe('expired lease of a delivery', () => {
  it('makes the delivery due again without counting an attempt', async () => {
    const hooks = await world.open();
    await hooks.close(0);
    const receiver = await startReceiver();
    const subject = await world.subject({ url: receiver.url() });
    await world.store(hooks, subject);
    await world.pool.query(sql`insert into delivery_lease (hook_id, id, claim_id, locked_until)
      select hook_id, id, id, ${new Date(world.now + 60_000)} from delivery where hook_id = ${subject.hookId}`);
    world.now += 60_001;
    await world.open();
    const [delivery] = await world.until(subject, ([row]) => row?.state === 'succeeded');
    expect(delivery).toMatchObject({ attempts_made: 1 });
    await receiver.close();
  });
});

describe('process that was paused', () => {
  it('makes no call for a delivery whose lease has expired', async () => {
    let paused: Promise<unknown> | undefined;
    const receiver = await startReceiver((response) => {
      if (paused === undefined) {
        world.now += 61_000;
        paused = world.pool.query(
          sql`update delivery_lease set claim_id = gen_random_uuid(), locked_until = 'infinity'`,
        );
      }
      void paused.then(() => response.end());
    });
    const storing = await world.open();
    await storing.close(0);
    const subjects = await Promise.all(
      Array.from({ length: 8 }, () => world.subject({ url: receiver.url(), concurrency: 64 })),
    );
    for (const subject of subjects) await world.store(storing, subject, 60);
    const hooks = await world.open();
    // One claim leases all deliveries. 64 calls start at once, and another process holds the others by then.
    await receiver.received(1);
    await paused;
    await world.turn(hooks);
    expect(receiver.calls.length).toBeLessThan(480);
    await receiver.close();
  });
});
