import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { ApiError } from '#common/errors.js';
import { fairQueueFor } from '#database/pool-queue.js';
import { createPool } from '#database/pools.js';
import { locate } from '#json/json.js';
import { createSearch } from '#records/postgres/search/postgres-search.js';
import type { QueryAnswer } from '#records/record-index.js';
import { FairQueue } from '#scheduling/fair-queue.js';
import { useDatabase } from '../support/database.js';
import { until } from '../support/until.js';
import { buildWorld, type World, worldNow } from './world.js';

const turns = () => new FairQueue({ turns: 4, each: 3, waiting: 2 });
const take = async (from: FairQueue, organization: string, count: number) => {
  const taken = [];
  for (let index = 0; index < count; index += 1) taken.push(await from.take(organization));
  return taken;
};

describe('fair queue of searches', () => {
  it('reserves a slot for other organizations, however much one organization asks for', async () => {
    const of = turns();
    await take(of, 'greedy', 3);
    expect(of.takeFree('greedy')).toBeUndefined();
    expect(of.takeFree('modest')).toBeInstanceOf(Function);
  });

  it('gives a free slot to the organization that holds the fewest, not to the one that asked first', async () => {
    const of = new FairQueue({ turns: 2, each: 2, waiting: 10 });
    const [first, second] = await take(of, 'greedy', 2);
    const order: string[] = [];
    const waiting = ['greedy', 'greedy', 'modest'].map((name) =>
      of.take(name).then((release) => {
        order.push(name);
        return release;
      }),
    );
    first!();
    (await waiting[2]!)();
    await waiting[0];
    second!();
    await waiting[1];
    expect(order).toEqual(['modest', 'greedy', 'greedy']);
  });

  it('refuses calls of an organization that has too many waiting, and only of that one', async () => {
    const of = turns();
    const [one] = await take(of, 'greedy', 3);
    const waiting = [of.take('greedy'), of.take('greedy')];
    expect(() => of.take('greedy')).toThrow(ApiError);
    expect(of.takeFree('modest')).toBeInstanceOf(Function);
    one!();
    (await waiting[0]!)();
    (await waiting[1]!)();
    expect(of.takeFree('greedy')).toBeInstanceOf(Function);
  });

  it('drops a waiting call when its caller goes away', async () => {
    const of = turns();
    const [one] = await take(of, 'greedy', 3);
    const gone = new AbortController();
    const waiting = of.take('greedy', gone.signal);
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    one!();
    expect(of.takeFree('greedy')).toBeInstanceOf(Function);
  });

  it("lowers an organization's slots while others search, and restores them 20 s later", async () => {
    let now = 0;
    const of = new FairQueue({ turns: 8, each: 6, eachBesideOthers: 2, waiting: 9 }, () => now);
    const [one, two] = await take(of, 'greedy', 2);
    (await of.take('modest'))();
    expect(of.takeFree('greedy')).toBeUndefined();
    const order: number[] = [];
    const waiting = [1, 2, 3].map((number) =>
      of.take('greedy').then((release) => {
        order.push(number);
        return release;
      }),
    );
    one!();
    await waiting[0];
    expect(order).toEqual([1]);
    now = 20_000;
    two!();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
    expect(of.takeFree('greedy')).toBeInstanceOf(Function);
  });

  it('counts a slot once when it is released twice', async () => {
    const of = new FairQueue({ turns: 1, each: 1, waiting: 1 });
    const [one] = await take(of, 'greedy', 1);
    one!();
    one!();
    expect(of.takeFree('greedy')).toBeInstanceOf(Function);
    expect(of.takeFree('greedy')).toBeUndefined();
  });
});

describe('organization with slow searches', () => {
  const database = useDatabase();
  let pool: Pool;
  let searchPool: Pool;
  let greedy: World;
  let modest: World;
  beforeAll(async () => {
    pool = createPool(database.url);
    searchPool = createPool(database.url, { name: 'searches', max: 4, pipeline: true });
    const options = {
      products: { probe: [] },
      devices: [{ serial: '01', product: 'probe' }],
      records: [{ serial: '01', ts: 1_774_737_000, data: { n: 1 } }],
    };
    greedy = await buildWorld(pool, options);
    modest = await buildWorld(pool, options);
  });
  afterAll(async () => {
    await searchPool.end();
    await pool.end();
  });

  it('waits for its own searches and gets refusals when too many wait, while another organization is answered at once', async () => {
    const search = createSearch({
      pool: searchPool,
      queue: fairQueueFor(searchPool),
      clock: () => worldNow,
      timeoutMs: 30_000,
    });
    const range = locate({ gte: 946_684_800, lte: 4_102_444_800 });
    const ask = async ({ organizationId, applicationId, productIds }: World, query: object): Promise<QueryAnswer> => {
      const queries = locate([{ products: Object.values(productIds), ...query }]);
      return (await search.prepare(range, queries)({ organizationId, applicationId })).responses[0]!;
    };
    const holder = await pool.connect();
    await holder.query('begin; lock table device in access exclusive mode');
    // Hits need the device table, which is locked now; a count does not need it.
    const slow = Array.from({ length: 110 }, () => ask(greedy, { size: 1 }));
    let ended = 0;
    for (const one of slow) void one.then(() => (ended += 1));
    // While the table is locked, only those that are refused end. One that a time slice holds up is not counted yet.
    await until(() => ended === 110 - 3 - 100);
    expect(await ask(modest, { size: 0 })).toMatchObject({ status: 200, hits: { total: { value: 1 } } });
    await holder.query('rollback');
    holder.release();
    const answers = await Promise.all(slow);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBe(110 - 3 - 100);
    expect(refused[0]).toMatchObject({ error: { type: 'rejected_execution_exception' } });
    expect(answers.filter(({ status }) => status === 200).length).toBe(103);
  });
});
