import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { useHookWorld } from './hook-world.js';
import { startReceiver } from './receiver.js';

const world = useHookWorld();

describe('hook filter whose query takes too long', () => {
  it('lets the records through, and delays their storing by no more than its timeout', async () => {
    const receiver = await startReceiver();
    const hooks = await world.open();
    const subject = await world.subject({ url: receiver.url() });
    const filter = { query: { range: { 'data.index': { gt: 100 } } } };
    await world.pool.query(sql`update hook set filter = ${filter} where id = ${subject.hookId}`);
    await world.store(hooks, subject, 2);
    expect(await world.deliveries(subject)).toEqual([]);
    const holder = await world.pool.connect();
    try {
      // Locks the tables that the query reads, so that the query takes long on any machine.
      await holder.query('begin');
      await holder.query('lock table record in access exclusive mode');
      await world.store(hooks, subject, 2);
      const rows = await world.until(subject, (all) => all.every(({ state }) => state === 'succeeded'));
      expect(rows).toHaveLength(2);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await receiver.close();
  });
});
