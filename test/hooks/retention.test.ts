import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { dayMs } from '#common/time.js';
import { dropPartitions, makePartitions } from '#hooks/housekeeping.js';
import { useHookWorld } from './hook-world.js';
import { startReceiver, status } from './receiver.js';

const world = useHookWorld();

/** Stores an ended delivery whose identifier carries the given time. */
async function ended(at: number): Promise<string> {
  const time = at.toString(16).padStart(12, '0');
  const { rows } = await world.pool.query<{ id: string }>(sql`
    insert into delivery (id, hook_id, organization_id, application_id, event, state, done, queued_at, next_attempt_at,
                          max_attempts, payload, created_at, updated_at)
    select (${time} || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid, gen_random_uuid(),
           gen_random_uuid(), gen_random_uuid(), 'record', 'succeeded', true, now(), now(), 2, '{}', now(), now()
    returning id`);
  return rows[0]!.id;
}

/** Returns the partition that holds the delivery, or undefined when the delivery is deleted. */
async function placeOf(id: string): Promise<string | undefined> {
  const { rows } = await world.pool.query<{ place: string }>(
    sql`select tableoid::regclass::text place from delivery where id = ${id}`,
  );
  return rows[0]?.place;
}

describe('ended delivery', () => {
  it('moves into the partition of its day, also when the partition is made later', async () => {
    const now = Date.parse('2030-03-10T12:00:00Z');
    const early = await ended(now);
    expect(await placeOf(early)).toBe('delivery_done_default');
    await makePartitions(world.pool, now);
    await makePartitions(world.pool, now);
    expect(await placeOf(early)).toBe('delivery_done_20300310');
    expect(await placeOf(await ended(now + 3 * dayMs))).toBe('delivery_done_20300313');
  });

  it('disappears with its partition when its retention is over, also when it lies outside any daily partition', async () => {
    const now = Date.parse('2031-06-20T12:00:00Z');
    await makePartitions(world.pool, now);
    const [old, stray, kept] = [await ended(now - dayMs), await ended(now - 40 * dayMs), await ended(now)];
    expect(await dropPartitions(world.pool, now, 0)).toBeGreaterThan(0);
    expect([await placeOf(old), await placeOf(stray), await placeOf(kept)]).toEqual([
      undefined,
      undefined,
      'delivery_done_20310620',
    ]);
  });
});

describe('waiting delivery', () => {
  it('outlives a retention that is shorter than its retry schedule', async () => {
    const receiver = await startReceiver(status(500));
    const hooks = await world.open({ schedule: [100 * dayMs] });
    const subject = await world.subject({ url: receiver.url() });
    await world.store(hooks, subject);
    await world.until(subject, ([row]) => row?.attempts_made === 1);
    await dropPartitions(world.pool, world.now + 50 * dayMs, 3600_000);
    expect(await world.deliveries(subject)).toMatchObject([{ state: 'pending' }]);

    // Deliveries of a disabled hook end after 7 days. From then on, retention applies to them.
    await world.pool.query(sql`update hook set disabled = true where id = ${subject.hookId}`);
    await dropPartitions(world.pool, world.now + 6 * dayMs, 3600_000);
    expect(await world.deliveries(subject)).toHaveLength(1);
    await dropPartitions(world.pool, world.now + 8 * dayMs, 3600_000);
    expect(await world.deliveries(subject)).toEqual([]);
    await receiver.close();
  });
});
