import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { useHookWorld } from './hook-world.js';
import { startReceiver } from './receiver.js';

const world = useHookWorld();

describe('shutdown of hooks', () => {
  it('finishes the deliveries in flight', async () => {
    const receiver = await startReceiver((response) => void setTimeout(() => response.end(), 100));
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url() });
    await world.store(hooks, subject);
    await receiver.received(1);
    await hooks.close(5000);
    expect(await world.deliveries(subject)).toMatchObject([{ state: 'succeeded', attempts_made: 1 }]);
    await receiver.close();
  });
});

describe('deletion of an application with hooks', () => {
  it('deletes the pending deliveries without calling the receiver', async () => {
    const receiver = await startReceiver();
    const closed = await world.open();
    await closed.close(0);
    const subject = await world.subject({ url: receiver.url() });
    await world.store(closed, subject, 20);
    await world.pool.query(sql`delete from application where id = ${subject.applicationId}`);
    await world.purge();
    expect(await world.deliveries(subject)).toEqual([]);
    expect(receiver.calls).toHaveLength(0);
    await receiver.close();
  });
});
