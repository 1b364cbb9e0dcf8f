import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { useHookWorld } from '../hook-world.js';
import { startReceiver } from '../receiver.js';

const world = useHookWorld();

describe('ordered hook with thousands of devices that wait for a retry', () => {
  /** Stores two deliveries per device: the first waits an hour for its next attempt, the second waits behind it. */
  const crowd = async (hookId: string, count: number) => {
    await world.pool.query(sql`
      insert into delivery (id, hook_id, organization_id, application_id, device_id, lane, event, state, queued_at,
                            next_attempt_at, max_attempts, payload, created_at, updated_at)
      select gen_random_uuid(), ${hookId}, ${hookId}, ${hookId}, lane, lane, 'record', 'pending', at,
             case nth when 1 then at + interval '1 hour' else at - interval '1 hour' end, 3, '{}', at, at
        from generate_series(1, 2) nth, (select md5(n::text)::uuid lane from generate_series(1, ${count}::integer) n) l,
             (select ${new Date(world.now)}::timestamptz at) a
       order by nth, lane`);
  };

  it('sends both deliveries of every device in order when the hour is over', async () => {
    const receiver = await startReceiver();
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url(), ordered: true });
    await crowd(subject.hookId, 1100);
    const ids = (await world.deliveries(subject)).map(({ id }) => id);
    world.now += 3600_000;
    hooks.wake();
    await world.drained([subject]);
    const called = receiver.calls.map(({ headers }) => headers['x-service-delivery-id'] as string);
    expect(new Set(called)).toEqual(new Set(ids));
    const place = new Map(called.map((id, index) => [id, index]));
    for (let lane = 0; lane < 1100; lane++) expect(place.get(ids[lane]!)).toBeLessThan(place.get(ids[lane + 1100]!)!);
    await receiver.close();
  });
});
