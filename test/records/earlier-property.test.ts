import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { createPool } from '#database/pools.js';
import { createRecordStore, type RecordStore } from '#records/postgres/log/store.js';
import { useDatabase } from '../support/database.js';
import { batches, buildMeters, expectFold, fold, meterRows, put, settle, shown } from './meters.js';

const database = useDatabase();
let pool: Pool;
let store: RecordStore;
/** A second writer, as of another process. */
let other: RecordStore;
beforeAll(() => {
  pool = createPool(database.url);
  store = createRecordStore({ pool, clock: Date.now, plans: [] });
  other = createRecordStore({ pool, clock: Date.now, plans: [] });
});
afterAll(async () => {
  await Promise.all([store.close(), other.close()]);
  await pool.end();
});

it('equals a fold over the sorted records, however they arrive', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (all) => {
      const fleet = await buildMeters(pool, 3);
      for (const batch of all) await put(store, fleet, batch);
      await expectFold(pool, fleet);
    }),
    { numRuns: 25 },
  );
}, 120_000);

it('equals a fold after two writers at once', async () => {
  await fc.assert(
    fc.asyncProperty(batches, batches, async (some, more) => {
      const fleet = await buildMeters(pool, 3);
      const write = async (to: RecordStore, all: Parameters<typeof put>[2][]) => {
        for (const batch of all) await put(to, fleet, batch);
      };
      await Promise.all([write(store, some), write(other, more), write(store, more.toReversed())]);
      await expectFold(pool, fleet);
    }),
    { numRuns: 12 },
  );
}, 120_000);

it('leaves what follows beyond the limit of a transaction to the upkeep', async () => {
  const fleet = await buildMeters(pool, 1);
  const many = Array.from({ length: 700 }, (_, index) => ({
    device: 0,
    ts: 1.7e9 + 10 + index,
    data: { energy: index },
    key: index,
  }));
  await put(store, fleet, many);
  await put(store, fleet, [{ device: 0, ts: 1.7e9 + 9.5, data: { open: true }, key: -1 }]);
  const before = await meterRows(pool, fleet);
  expect(before.map(shown)).not.toEqual(fold(before));
  await settle(pool);
  await expectFold(pool, fleet);
});
