import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { retryAfter, waitAfter } from '#calls/retry-schedule.js';
import { hourMs } from '#common/time.js';
import { useHookWorld } from './hook-world.js';
import { fine, startReceiver, status } from './receiver.js';

const world = useHookWorld();

const schedule = [
  5000,
  300_000,
  hourMs / 2,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

describe('webhook retries', () => {
  it('makes ten attempts over 75 hours under one id, and then fails the delivery', async () => {
    const receiver = await startReceiver(status(500));
    const hooks = await world.open({ schedule });
    const subject = await world.subject({ url: receiver.url() });
    const begun = world.now;
    await world.store(hooks, subject);
    const waits: number[] = [];
    for (let made = 1; made <= 10; made++) {
      const [delivery] = await world.until(subject, ([row]) => row?.attempts_made === made);
      if (made === 10) break;
      waits.push(Date.parse(delivery!.next_attempt_at) - world.now);
      world.now = Date.parse(delivery!.next_attempt_at);
      hooks.wake();
    }
    // The waits have no jitter, because the test's random source is constant.
    expect(waits).toEqual(schedule);
    expect(world.now - begun).toBe(75.5 * hourMs + 305_000);
    expect(await world.deliveries(subject)).toMatchObject([{ state: 'failed', attempts_made: 10, max_attempts: 10 }]);
    expect(receiver.calls).toHaveLength(10);
    expect(new Set(receiver.calls.map(({ headers }) => headers['x-service-delivery-id'])).size).toBe(1);
    await receiver.close();
  });

  it('succeeds with a later attempt, and stores the latest request and answer', async () => {
    let calls = 0;
    const receiver = await startReceiver((response) => void response.writeHead(calls++ === 0 ? 503 : 201).end());
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url() });
    await world.store(hooks, subject);
    await world.until(subject, ([row]) => row?.attempts_made === 1);
    world.now += 5000;
    hooks.wake();
    const [delivery] = await world.until(subject, ([row]) => row?.state === 'succeeded');
    expect(delivery).toMatchObject({ attempts_made: 2, response: { statusCode: 201 } });
    expect(delivery!.attempts.map(({ statusCode }) => statusCode)).toEqual([503, 201]);
    await receiver.close();
  });

  it('waits as long as Retry-After asks when that is longer than the schedule', async () => {
    const receiver = await startReceiver(status(429, { 'retry-after': '120' }));
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url() });
    await world.store(hooks, subject);
    const [delivery] = await world.until(subject, ([row]) => row?.attempts_made === 1);
    expect(Date.parse(delivery!.next_attempt_at) - world.now).toBe(120_000);
    await receiver.close();
  });

  it('fails the delivery and disables the hook when the receiver answers 410', async () => {
    const receiver = await startReceiver(status(410));
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url() });
    await world.store(hooks, subject);
    await world.until(subject, ([row]) => row?.state === 'failed');
    const { rows } = await world.pool.query(
      sql`select disabled, disabled_reason from hook where id = ${subject.hookId}`,
    );
    expect(rows).toEqual([{ disabled: true, disabled_reason: 'gone' }]);
    await receiver.close();
  });
});

describe('change of a hook', () => {
  const change = (hookId: string, values: ReturnType<typeof sql>) =>
    world.pool.query(sql`update hook set ${values}, updated_at = ${new Date(world.now)} where id = ${hookId}`);

  it('sends waiting deliveries to the new address when the address changes', async () => {
    const [old, next] = [await startReceiver(status(500)), await startReceiver(fine)];
    const hooks = await world.open();
    const subject = await world.subject({ url: old.url() });
    await world.store(hooks, subject);
    await world.until(subject, ([row]) => row?.attempts_made === 1);
    await change(subject.hookId, sql`url = ${next.url()}`);
    world.now += 5000;
    hooks.wake();
    await world.until(subject, ([row]) => row?.state === 'succeeded');
    expect([old.calls.length, next.calls.length]).toEqual([1, 1]);
    await Promise.all([old.close(), next.close()]);
  });

  it('sends waiting deliveries oldest first when the hook is enabled, without waiting for their next attempts', async () => {
    const receiver = await startReceiver(status(500));
    const stopped = await world.open();
    const subject = await world.subject({ url: receiver.url(), concurrency: 1 });
    await world.store(stopped, subject);
    await world.until(subject, ([row]) => row?.attempts_made === 1);
    // The second attempt fails too, so the third is due in five minutes, long after the deliveries stored later.
    world.now += 10_000;
    stopped.wake();
    await world.until(subject, ([row]) => row?.attempts_made === 2);
    await stopped.close(1000);
    for (let number = 0; number < 3; number++) {
      world.now += 1000;
      await world.store(stopped, subject);
    }
    await receiver.close();
    await change(subject.hookId, sql`disabled = true`);

    const well = await startReceiver();
    await change(subject.hookId, sql`url = ${well.url()}, disabled = false`);
    const hooks = await world.open();
    hooks.wake();
    await world.drained([subject]);
    const stored = await world.deliveries(subject);
    expect(well.calls.map(({ headers }) => headers['x-service-delivery-id'])).toEqual(stored.map(({ id }) => id));
    expect(stored).toHaveLength(4);
    await well.close();
  });

  it('holds deliveries while the hook is disabled, and fails those older than 7 days when it is enabled', async () => {
    let broken = true;
    const receiver = await startReceiver((response) => void response.writeHead(broken ? 500 : 200).end());
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url() });
    await world.store(hooks, subject);
    await world.until(subject, ([row]) => row?.attempts_made === 1);
    // Less than five days, after which failures alone would disable the hook.
    world.now += 24 * hourMs;
    await world.store(hooks, subject);
    await world.until(subject, ([first, second]) => first?.attempts_made === 2 && second?.attempts_made === 1);
    await change(subject.hookId, sql`disabled = true`);
    world.now += 6.5 * 24 * hourMs;
    await world.turn(hooks);
    expect(receiver.calls).toHaveLength(3);
    broken = false;
    await change(subject.hookId, sql`disabled = false`);
    hooks.wake();
    const rows = await world.until(subject, (all) =>
      all.every(({ state }) => state === 'succeeded' || state === 'failed'),
    );
    expect(rows).toMatchObject([
      { state: 'failed', attempts_made: 2 },
      { state: 'succeeded', attempts_made: 2 },
    ]);
    await receiver.close();
  });
});

describe('wait before the next attempt', () => {
  it('varies by up to 20 % around the schedule', () => {
    expect(waitAfter([1000], 1, 0)).toBe(800);
    expect(waitAfter([1000], 1, 0.999_999)).toBe(1200);
  });

  it('follows the schedule from the start for a redelivery, and ends with it', () => {
    expect(waitAfter([1000, 2000, 3000], 3, 0.5)).toBe(1000);
    expect(waitAfter([1000, 2000, 3000], 1, 0.5)).toBe(3000);
    expect(waitAfter([1000, 2000, 3000], 0, 0.5)).toBeUndefined();
  });

  it('has a limit of 24 hours', () => {
    expect(waitAfter([1000], 1, 0.5, 48 * hourMs)).toBe(24 * hourMs);
  });

  it('accepts Retry-After in seconds or as a date only', () => {
    const now = Date.parse('2026-11-20T12:00:00Z');
    expect(retryAfter('120', now)).toBe(120_000);
    expect(retryAfter('Fri, 20 Nov 2026 12:05:00 GMT', now)).toBe(300_000);
    expect(retryAfter('Fri, 20 Nov 2026 11:00:00 GMT', now)).toBe(0);
    expect(retryAfter('soon', now)).toBeUndefined();
    expect(retryAfter('-5', now)).toBeUndefined();
  });
});
