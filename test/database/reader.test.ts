import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import sql, { Sql } from 'sql-template-tag';
import { createPool } from '#database/pools.js';
import { createReader, type Reader } from '#database/reader.js';
import { isoTimestamp } from '#database/types.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();
let pool: pg.Pool;
let reader: Reader;

beforeAll(() => {
  pool = createPool(database.url);
  reader = createReader(database.url, 5000);
});

afterAll(async () => {
  await reader.close();
  await pool.end();
});

describe('database reader', () => {
  it('answers 50 concurrent statements, and fails only those with an error', async () => {
    const divisors = Array.from({ length: 50 }, (_, i) => i % 10);
    const answers = await Promise.allSettled(
      divisors.map((d) => reader.read<{ n: number }>(sql`select 90 / ${d}::int as n`)),
    );
    expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value[0]!.n : 'fault'))).toEqual(
      divisors.map((d) => (d === 0 ? 'fault' : Math.trunc(90 / d))),
    );
  });

  it('returns times as ISO text in UTC with milliseconds', async () => {
    const [row] = await reader.read(sql`select '2026-11-20 14:00:00.5+02'::timestamptz as moment`);
    expect(row).toEqual({ moment: '2026-11-20T12:00:00.500Z' });
  });

  it.each([
    { texts: [] },
    { texts: ['a', 'hall 1', ' b', 'x=y', 'ä€😀', 'null'] },
    { texts: ['', 'a,b', '"', '\\', '{}', 'NULL', null] },
    { texts: [['a'], ['b']] },
  ])('returns text arrays unchanged: %j', async ({ texts }) => {
    const [row] = await reader.read(sql`select ${texts}::text[] as texts`);
    expect(row).toEqual({ texts });
  });

  it('throws UNAVAILABLE when its connection breaks, and then reconnects', async () => {
    const [{ pid }] = (await reader.read<{ pid: number }>(sql`select pg_backend_pid() as pid`)) as [{ pid: number }];
    const broken = reader.read(sql`select pg_sleep(30)`);
    const queued = reader.read(sql`select 1`);
    const outcomes = Promise.allSettled([broken, queued]);
    await pool.query('select pg_terminate_backend($1)', [pid]);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
    }
    expect(await reader.read(sql`select 2 as n`)).toEqual([{ n: 2 }]);
  });

  it('survives a migration that changes the columns of a prepared statement', async () => {
    await pool.query('create table shifting (a int); insert into shifting values (1)');
    const query = (): Promise<unknown> => reader.read(sql`select * from shifting`);
    expect(await query()).toEqual([{ a: 1 }]);
    await pool.query('alter table shifting add b int default 2');
    expect(await query()).toEqual([{ a: 1, b: 2 }]);
  });

  it('keeps at most 500 prepared statements', async () => {
    const texts = Array.from({ length: 600 }, (_, i) => new Sql([`select ${i} as n`], []));
    const rows = await Promise.all(texts.map((text) => reader.read<{ n: number }>(text)));
    expect(rows.map(([row]) => row!.n)).toEqual(texts.map((_, i) => i));
    const [held] = await reader.read<{ n: number }>(sql`select count(*)::int as n from pg_prepared_statements`);
    expect(held!.n).toBeLessThanOrEqual(500);
  });
});

describe('timestamp text of PostgreSQL', () => {
  it.each([
    ['2026-11-20 12:13:36+00', '2026-11-20T12:13:36.000Z'],
    ['2026-11-20 12:13:36.12+00', '2026-11-20T12:13:36.120Z'],
    ['2026-11-20 12:13:36.123456+00', '2026-11-20T12:13:36.123Z'],
    ['infinity', 'infinity'],
  ])('converts %s to %s', (text, iso) => {
    expect(isoTimestamp(text)).toBe(iso);
  });
});
