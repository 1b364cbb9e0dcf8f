import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { databaseOf } from '#config/setting.js';
import { createBoundedRead } from '#database/bounded-read.js';
import { isConnectionLoss } from '#database/connection-loss.js';
import { createPool } from '#database/pools.js';
import { createReader } from '#database/reader.js';
import { poolOf } from '../support/connection.js';
import { useDatabase } from '../support/database.js';
import { until } from '../support/until.js';

const database = useDatabase();

describe('statement of a transaction that has failed', () => {
  it.each([true, false])(
    'fails with the error that ended the transaction, even when another error arrives first (pipeline: %s)',
    async (pipeline) => {
      const pool = createPool(database.url, { pipeline });
      const tx = await pool.connect();
      const fail = (code: string) =>
        tx.query(`do $$ begin raise exception 'no room' using errcode = '${code}'; end $$`);
      // An error that a savepoint rolls back does not end the transaction.
      await tx.query('begin; savepoint before');
      await expect(fail('22012')).rejects.toMatchObject({ code: '22012' });
      await tx.query('rollback to savepoint before');
      const outcomes = await Promise.allSettled([
        tx.query('select 1'),
        fail('53100'),
        tx.query('select 2'),
        tx.query({ name: 'named', text: 'select $1::int as n', values: [3] }),
      ]);
      expect(outcomes[0]!.status).toBe('fulfilled');
      for (const outcome of outcomes.slice(1))
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: '53100', message: 'no room' } });
      await tx.query('rollback');
      expect((await tx.query({ name: 'named', text: 'select $1::int as n', values: [4] })).rows).toEqual([{ n: 4 }]);
      tx.release();
      await pool.end();
    },
  );
});

describe('failed connection to PostgreSQL', () => {
  const addressWith = (change: (url: URL) => void) => {
    const url = new URL(database.url);
    change(url);
    return url.toString();
  };
  it.each([
    ['there is no such database', (url: URL) => (url.pathname = '/nowhere')],
    ['there is no such user', (url: URL) => (url.username = 'nobody')],
    ['nothing listens', (url: URL) => (url.port = '1')],
    ['the server speaks no TLS', (url: URL) => url.searchParams.set('sslmode', 'require')],
  ])('counts as a connection loss, not as a statement error, when %s', async (_, change) => {
    const address = addressWith(change);
    const pool = createPool(address);
    const error: unknown = await pool.query('select 1').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: '08001', message: expect.stringMatching(/\w/) });
    expect(isConnectionLoss(error)).toBe(true);
    await pool.end();
    const reader = createReader(address, 1000);
    await expect(reader.read(sql`select 1`)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await reader.close();
  });
});

describe('read of a caller who goes away', () => {
  it('ends on the server where it runs, even if the address names another server first', async () => {
    const { host } = new URL(database.url);
    const pool = createPool(databaseOf(database.url.replace(`@${host}`, `@127.0.0.1:1,${host}`))!, { max: 1 });
    const gone = new AbortController();
    // Longer than a test may take.
    const reading = createBoundedRead(pool)(
      'an organization',
      sql`select pg_sleep(600)`,
      600_000,
      () => {},
      gone.signal,
    );
    const running = sql`
      select from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and query ~ 'pg_sleep' and state = 'active'`;
    await until(async () => (await poolOf(database.url).query(running)).rowCount === 1);
    gone.abort();
    await expect(reading).rejects.toMatchObject({ code: 'TIMEOUT' });
    await pool.end();
  });
});
