import { afterAll, beforeAll, describe, it } from '@jest/globals';
import fc from 'fast-check';
import type pg from 'pg';
import { createPool } from '#database/pools.js';
import { useDatabase } from '../../../support/database.js';
import { arbitraryRows } from '../arbitrary-row.js';
import { createStored, expectSame } from '../round-trip.js';

const database = useDatabase();
let pool: pg.Pool;
let client: pg.PoolClient;

beforeAll(async () => {
  pool = createPool(database.url);
  client = await pool.connect();
  await createStored(client);
});

afterAll(async () => {
  client.release();
  await pool.end();
});

describe('block of records', () => {
  it.each([
    [500, 20],
    [30, 300],
  ])('restores any records in %i blocks of up to %i', async (numRuns, length) => {
    await fc.assert(
      fc.asyncProperty(arbitraryRows(length), (rows) => expectSame(client, rows)),
      { numRuns, seed: 53 },
    );
  });
});
