import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { batches, buildMeters, expectFold, fold, meterRows, put, settle, shown } from '../meters.js';
import { type BlockWorld, daySeconds, midnight, useBlockWorld } from './block-world.js';

let pool: Pool;
let world: BlockWorld;
useBlockWorld((...made) => {
  [pool, world] = made;
});

/** Spreads the times of records over four days. */
const spread = (all: Parameters<typeof put>[2][]) =>
  all.map((batch) =>
    batch.map((sent) => ({
      ...sent,
      ts: midnight - 3 * daySeconds + (Math.floor((sent.ts - 1.7e9) * 2) % 4) * daySeconds + sent.ts - 1.7e9,
    })),
  );

it('computes records again that follow late ones and are in blocks alone', async () => {
  await fc.assert(
    fc.asyncProperty(batches, batches, async (earlier, late) => {
      const meters = await buildMeters(pool, 3);
      for (const batch of spread(earlier)) await put(world.store, meters, batch);
      await world.maintain();
      await world.freeze(meters);
      expect(await meterRows(pool, meters)).toEqual([]);
      for (const batch of spread(late))
        await put(
          world.store,
          meters,
          batch.map((sent) => ({ ...sent, key: sent.key + 100 })),
        );
      await settle(pool);
      await world.thaw(meters);
      await expectFold(pool, meters);
    }),
    { numRuns: 4 },
  );
}, 180_000);

it('leaves days in blocks alone that no late record concerns', async () => {
  const meters = await buildMeters(pool, 1);
  const at = (ts: number, energy: number) => [{ device: 0, ts: midnight + ts, data: { energy }, key: ts }];
  for (const ts of [-2 * daySeconds, -daySeconds, 100]) await put(world.store, meters, at(ts, ts + 3 * daySeconds));
  await world.maintain();
  expect(await world.freeze(meters)).toBe(3);
  await put(world.store, meters, at(-daySeconds - 100, 5));
  await put(world.store, meters, at(200, 6));
  await settle(pool);
  const rows = await meterRows(pool, meters);
  // Two new ones, and the day after the first of them.
  expect(rows.map(({ ts }) => ts - midnight)).toEqual([-daySeconds - 100, -daySeconds, 200]);
  await world.thaw(meters);
  const all = await meterRows(pool, meters);
  expect(all).toHaveLength(5);
  expect(all.map(shown)).toEqual(fold(all));
});
