import { describe, expect, it } from '@jest/globals';
import { useHookWorld } from '../hook-world.js';
import { startReceiver } from '../receiver.js';

const world = useHookWorld();

describe('hook whose receiver hangs', () => {
  it('delays no other hook, and has at most its concurrency of calls open', async () => {
    const hanging = await startReceiver(() => undefined);
    const receiver = await startReceiver();
    const hooks = await world.open({ timeout: 60_000 });
    const stuck = await world.subject({ url: hanging.url() });
    const others = await Promise.all(Array.from({ length: 9 }, () => world.subject({ url: receiver.url() })));
    await world.store(hooks, stuck, 300);
    await hanging.received(8);
    for (const other of others) await world.store(hooks, other, 100);
    await world.drained(others);
    expect(hanging.calls).toHaveLength(8);
    expect((await world.deliveries(stuck)).every(({ attempts_made }) => attempts_made === 0)).toBe(true);
    await Promise.all([hanging.close(), receiver.close()]);
  });
});

describe('concurrency limit of a hook', () => {
  it('applies to all processes together', async () => {
    const receiver = await startReceiver((response) => void setTimeout(() => response.end(), 5));
    const [one] = await Promise.all([world.open(), world.open(), world.open()]);
    const subject = await world.subject({ url: receiver.url(), concurrency: 5 });
    await world.store(one, subject, 100);
    await world.drained([subject]);
    expect(receiver.busiest).toBeLessThanOrEqual(5);
    expect(receiver.calls).toHaveLength(100);
    await receiver.close();
  });

  it('ignores pings', async () => {
    const receiver = await startReceiver((response, { headers }) => {
      if (headers['x-service-event'] === 'ping') response.end();
    });
    const hooks = await world.open({ timeout: 60_000 });
    const { hookId, applicationId, organizationId, ...subject } = await world.subject({
      url: receiver.url(),
      concurrency: 1,
    });
    await world.store(hooks, { hookId, applicationId, organizationId, ...subject }, 2);
    await receiver.received(1);
    await hooks.ping({ id: hookId, application: { id: applicationId, organizationId } });
    expect(receiver.calls.map(({ headers }) => headers['x-service-event'])).toEqual(['record', 'ping']);
    await receiver.close();
  });
});
