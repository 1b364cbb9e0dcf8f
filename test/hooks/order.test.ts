import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { type DeliveryRow, useHookWorld } from './hook-world.js';
import { startReceiver } from './receiver.js';

const world = useHookWorld();
const indexOf = ({ body }: { body: string }) =>
  (JSON.parse(body) as { record: { data: { index: number } } }).record.data.index;

describe('ordered hook', () => {
  it("sends a device's records in the order of storing, each only after the one before has ended", async () => {
    let code = 500;
    const receiver = await startReceiver((response) => void response.writeHead(code).end());
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url(), ordered: true });
    await world.store(hooks, subject, 20);
    await world.until(subject, ([first]) => first?.attempts_made === 1);
    await world.turn(hooks);
    expect(receiver.calls.map(indexOf)).toEqual([0]);
    code = 200;
    world.now += 5000;
    hooks.wake();
    await world.until(subject, (rows) => rows.every(({ state }) => state === 'succeeded'));
    expect(receiver.calls.map(indexOf)).toEqual([0, ...Array.from({ length: 20 }, (_, index) => index)]);
    expect(receiver.busiest).toBe(1);
    await receiver.close();
  });

  it("sends another device's records while one device's delivery fails", async () => {
    const receiver = await startReceiver((response, call) => {
      const { device } = JSON.parse(call.body) as { device: { serial: string } };
      response.writeHead(device.serial === failing.device.serial ? 500 : 200).end();
    });
    const hooks = await world.open();
    const failing = await world.subject({ url: receiver.url(), ordered: true });
    const sibling = await world.device(failing);
    await world.store(hooks, failing, 3);
    await world.store(hooks, { ...failing, device: sibling }, 3);
    const isOver = (rows: DeliveryRow[]) =>
      rows[0]?.attempts_made === 1 && rows.filter(({ state }) => state === 'succeeded').length === 3;
    expect(await world.until(failing, isOver)).toMatchObject([
      { state: 'pending', attempts_made: 1 },
      { attempts_made: 0 },
      { attempts_made: 0 },
      { state: 'succeeded' },
      { state: 'succeeded' },
      { state: 'succeeded' },
    ]);
    await receiver.close();
  });
});

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

  it('sends a new record of another device at once', async () => {
    const receiver = await startReceiver();
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url(), ordered: true });
    await crowd(subject.hookId, 2000);
    await world.store(hooks, subject, 1);
    await receiver.received(1);
    expect(receiver.calls.map(indexOf)).toEqual([0]);
    await receiver.close();
  });
});

describe('hook with a rate limit', () => {
  it('sends no more calls than its rate, however many deliveries wait', async () => {
    const receiver = await startReceiver();
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url(), max_per_second: 20 });
    await world.store(hooks, subject, 10);
    // A tenth of a second's calls may start at once.
    await receiver.received(2);
    await world.turn(hooks);
    expect(receiver.calls).toHaveLength(2);
    world.now += 100;
    hooks.wake();
    await receiver.received(4);
    await world.turn(hooks);
    expect(receiver.calls).toHaveLength(4);
    // After any idle time, the limiter saves up only a tenth of a second's calls.
    world.now += 60_000;
    hooks.wake();
    await receiver.received(6);
    await world.turn(hooks);
    expect(receiver.calls).toHaveLength(6);
    await receiver.close();
  });
});
