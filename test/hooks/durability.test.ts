import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, jest } from '@jest/globals';
import sql from 'sql-template-tag';
import { usePostRoom } from './hook-world.js';
import { startReceiver } from './receiver.js';

jest.setTimeout(60_000);
const room = usePostRoom();
const program = fileURLToPath(new URL('./worker.js', import.meta.url));
/** How often the drain is interrupted; `npm run test:faults` asks for more. */
const rounds = Number(process.env['FAULT_ROUNDS'] ?? 2);

/** Starts a process that delivers. */
async function startWorker(): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [program, room.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(worker.stdout, 'data');
  return worker;
}

const ended = async (worker: ChildProcess, signal: NodeJS.Signals) => {
  const exit = once(worker, 'exit');
  worker.kill(signal);
  await exit;
};

describe('kill -9 of one of two processes in full drain', () => {
  it.each(Array.from({ length: rounds }, (_, round) => round + 1))(
    'loses nothing and repeats at most what was leased (round %i)',
    async () => {
      const count = 2000;
      room.now = Date.now();
      const receiver = await startReceiver();
      const storing = await room.open();
      await storing.close(0);
      const subjects = await Promise.all(
        Array.from({ length: 10 }, (_, index) => room.subject({ url: receiver.url(`/${index}`), concurrency: 32 })),
      );
      for (const subject of subjects) await room.store(storing, subject, count / subjects.length);
      const [victim, survivor] = await Promise.all([startWorker(), startWorker()]);
      await receiver.received(count / 3);
      await ended(victim, 'SIGKILL');
      // The survivor ends in order: it settles what it has, and releases the rest.
      await ended(survivor, 'SIGTERM');
      const { rows } = await room.pool.query<{ leased: number }>(sql`select count(*)::int leased from delivery_lease`);
      const leased = rows[0]!.leased;

      // When the victim's leases have run out, whoever is there goes on.
      // A clock that runs, and a long deadline: on a busy machine a call may fail, and is then tried again.
      await room.open({ clock: () => Date.now() + 61_000, timeout: 20_000 });
      await room.drained(subjects);
      const ids = receiver.calls.map(({ headers }) => headers['x-service-delivery-id']);
      expect(new Set(ids).size).toBe(count);
      // Every call was settled as an attempt (on a busy machine some fail, and are made again), or was the victim's.
      const { rows: settled } = await room.pool.query<{ attempts: number }>(sql`
        select sum(attempts_made)::int attempts from delivery
         where hook_id = any(${subjects.map(({ hookId }) => hookId)}::uuid[])`);
      expect(ids.length - settled[0]!.attempts).toBeLessThanOrEqual(leased);
      await receiver.close();
    },
  );
});

describe('a service that stops', () => {
  it('finishes what is in flight', async () => {
    const receiver = await startReceiver((response) => void setTimeout(() => response.end(), 100));
    const hooks = await room.open();
    const subject = await room.subject({ url: receiver.url() });
    await room.store(hooks, subject);
    await receiver.received(1);
    await hooks.close(5000);
    expect(await room.deliveries(subject)).toMatchObject([{ state: 'succeeded', attempts_made: 1 }]);
    await receiver.close();
  });

  it('releases what does not end in time: it is due again at once, and no attempt was made', async () => {
    const receiver = await startReceiver(() => undefined);
    const hooks = await room.open({ timeout: 60_000 });
    const subject = await room.subject({ url: receiver.url() });
    await room.store(hooks, subject);
    await receiver.received(1);
    await hooks.close(10);
    const [delivery] = await room.deliveries(subject);
    expect(delivery).toMatchObject({ state: 'pending', attempts_made: 0, request: null });
    expect(Date.parse(delivery!.next_attempt_at)).toBeLessThanOrEqual(room.now);
    await receiver.close();
  });
});

describe('a database that goes away', () => {
  it('is outlived: what was called is settled when it is back, and calls go on', async () => {
    const waiting: (() => void)[] = [];
    const receiver = await startReceiver((response) => void waiting.push(() => response.end()));
    const hooks = await room.open({ timeout: 20_000 });
    const subject = await room.subject({ url: receiver.url(), concurrency: 4 });
    await room.store(hooks, subject, 8);
    await receiver.received(4);
    const back = await room.outage();
    for (const answer of waiting.splice(0)) answer();
    await back();
    hooks.wake();
    await receiver.received(8);
    for (const answer of waiting.splice(0)) answer();
    const rows = await room.until(subject, (all) => all.every(({ state }) => state === 'succeeded'));
    expect(rows.every(({ attempts_made }) => attempts_made === 1)).toBe(true);
    expect(receiver.calls).toHaveLength(8);
    await receiver.close();
  });
});

describe('what a claim holds', () => {
  it('is due again once its lease has run out, and no attempt was made', async () => {
    const hooks = await room.open();
    await hooks.close(0);
    const receiver = await startReceiver();
    const subject = await room.subject({ url: receiver.url() });
    await room.store(hooks, subject);
    await room.pool.query(sql`insert into delivery_lease (hook_id, id, claim_id, locked_until)
      select hook_id, id, id, ${new Date(room.now + 60_000)} from delivery where hook_id = ${subject.hookId}`);
    room.now += 60_001;
    await room.open();
    const [delivery] = await room.until(subject, ([row]) => row?.state === 'succeeded');
    expect(delivery).toMatchObject({ attempts_made: 1 });
    await receiver.close();
  });
});

describe('deliveries of a deleted hook', () => {
  it('are swept, and never called', async () => {
    const receiver = await startReceiver();
    const closed = await room.open();
    await closed.close(0);
    const subject = await room.subject({ url: receiver.url() });
    await room.store(closed, subject, 20);
    await room.pool.query(sql`delete from application where id = ${subject.applicationId}`);
    await room.sweep();
    expect(await room.deliveries(subject)).toEqual([]);
    expect(receiver.calls).toHaveLength(0);
    await receiver.close();
  });
});

describe('a process that was paused', () => {
  it('makes no call whose lease has run out', async () => {
    let paused: Promise<unknown> | undefined;
    const receiver = await startReceiver((response) => {
      if (paused === undefined) {
        room.now += 61_000;
        paused = room.pool.query(
          sql`update delivery_lease set claim_id = gen_random_uuid(), locked_until = 'infinity'`,
        );
      }
      void paused.then(() => response.end());
    });
    const storing = await room.open();
    await storing.close(0);
    const subjects = await Promise.all(
      Array.from({ length: 8 }, () => room.subject({ url: receiver.url(), concurrency: 64 })),
    );
    for (const subject of subjects) await room.store(storing, subject, 60);
    const hooks = await room.open();
    // One claim takes all; 64 calls begin at once, the others wait, and another process has them by then.
    await receiver.received(1);
    await paused;
    await room.turn(hooks);
    expect(receiver.calls.length).toBeLessThan(480);
    await receiver.close();
  });
});
