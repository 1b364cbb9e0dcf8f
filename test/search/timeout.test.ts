import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { useWorld, type WorldRecord } from './world.js';

const records = Array.from(
  { length: 200 },
  (_, index): WorldRecord => ({ serial: '01', ts: 1_774_737_000 + index, data: { text: 'a'.repeat(28), n: index } }),
);
const world = useWorld({ devices: [{ serial: '01' }], records, timeoutMs: 5000 });

/** Runs `work` while another connection holds a lock, which takes long on any machine. */
const locked = async <T>(work: () => Promise<T>): Promise<T> => {
  const holder = await world.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table record in access exclusive mode');
    return await work();
  } finally {
    await holder.query('rollback');
    holder.release();
  }
};

const running = async () => {
  const { rows } = await world.pool.query<{ count: string }>(sql`
    select count(*) from pg_stat_activity where datname = current_database() and state = 'active' and query like '%from record r%' and pid <> pg_backend_pid()`);
  return Number(rows[0]!.count);
};

describe('search query that exceeds its timeout', () => {
  it('stops in the database and returns timed_out, while the other queries are answered', async () => {
    const [slow, empty] = await locked(
      async () =>
        (await world.askAll([{ products: [] }, { products: [], size: 0, track_total_hits: false }])).responses,
    );
    expect(slow).toMatchObject({
      status: 200,
      timed_out: true,
      hits: { total: { value: 0, relation: 'gte' }, hits: [] },
    });
    expect(empty).toMatchObject({ status: 200, timed_out: false });
    expect(await running()).toBe(0);
  });

  it('stops in the database when the caller goes away', async () => {
    const gone = new AbortController();
    await locked(async () => {
      const asked = world.askAll([{ products: [] }], undefined, gone.signal);
      gone.abort();
      await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
    });
    expect(await running()).toBe(0);
    expect(await world.ask({ size: 1 })).toMatchObject({ status: 200, timed_out: false });
  });

  it('stops in the database when the caller goes away while six queries share one snapshot', async () => {
    const gone = new AbortController();
    await locked(async () => {
      const asked = world.askAll(
        Array.from({ length: 6 }, () => ({ products: [], size: 600 })),
        undefined,
        gone.signal,
      );
      gone.abort();
      await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
    });
    expect(await running()).toBe(0);
    expect(await world.ask({ size: 600 })).toMatchObject({ status: 200, timed_out: false });
  });

  it('leaves its connection usable for the queries after it', async () => {
    const slow = { products: [], timeout: '300ms' };
    const empty = { products: [], size: 0, track_total_hits: false };
    const queries = Array.from({ length: 6 }, () => [slow, empty]).flat();
    const { responses } = await locked(() => world.askAll(queries));
    expect(responses.map((answer) => 'timed_out' in answer && answer.timed_out)).toEqual(
      queries.map((query) => query === slow),
    );
  });

  it('answers 30 further queries on the shared snapshot', async () => {
    const { responses } = await world.askAll(
      Array.from({ length: 30 }, (_, index) => ({ products: [], size: 1, query: { term: { 'data.n': index } } })),
    );
    expect(responses.map((answer) => 'hits' in answer && answer.hits.total)).toEqual(
      Array.from({ length: 30 }, () => ({ value: 1, relation: 'eq' })),
    );
  });
});
