import { getPriority } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { buildCustomer } from '../hooks/customer.js';
import { itIf } from '../support/conditional.js';
import { until } from '../support/until.js';
import { useWorld } from '../support/world.js';

const world = useWorld({ config: { hooks: { ...readConfig({}).hooks, allowCidrs: ['127.0.0.0/8'] } } });
/** Counts the PostgreSQL processes that have worked for a pool since the given server time. */
const usedSince = async (pool: string, moment: Date): Promise<number> => {
  const { rows } = await world.pool.query<{ count: number }>(
    'select count(*)::int from pg_stat_activity where datname = current_database() and application_name = $1 and state_change > $2',
    [pool, moment],
  );
  return rows[0]!.count;
};

const serverTime = async (): Promise<Date> => (await world.pool.query<{ now: Date }>('select now()')).rows[0]!.now;

const onEmbedded = itIf(
  process.platform === 'linux' && process.env['DATABASE_URL'] === undefined,
  'needs Linux and an embedded PostgreSQL, whose processes can be inspected',
);

/** Returns the priorities of the PostgreSQL processes of a pool: 0 is normal, 19 is the lowest. */
const prioritiesOf = async (pool: string): Promise<number[]> => {
  const { rows } = await world.pool.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database() and application_name = $1',
    [pool],
  );
  return [...new Set(rows.map(({ pid }) => getPriority(pid)))];
};

/** Resolves when a pool's processes have these priorities, which follow once a connection is open. */
const become = (pool: string, priorities: readonly number[]) =>
  // A process that ends before its priority is read has none.
  until(async () => isDeepStrictEqual(await prioritiesOf(pool).catch(() => undefined), priorities));

onEmbedded(
  'gives PostgreSQL processes of hooks a lower priority than the service, and those of slow reads the lowest',
  async () => {
    const owner = await world.organization();
    const { status } = await owner.get(`/organizations/${owner.id}/devices?q=a&limit=1`);
    expect(status).toBe(200);
    await become('ddp hooks', [5]);
    await become('ddp slow read', [12]);
  },
);

onEmbedded('stores the records of an organization with slow hook filters at a lower priority', async () => {
  const customer = await buildCustomer(world);
  expect((await customer.send()).status).toBe(200);
  await become('ddp store', [5]);
  expect(await prioritiesOf('ddp slow store')).toEqual([]);

  const { path } = await customer.hook({ url: 'http://127.0.0.1:9/' });
  const filter = { query: { range: { 'data.index': { gt: 1_000_000 } } } };
  expect((await customer.call('PUT', `${path}/settings`, { filter })).status).toBe(200);
  const holder = await world.pool.connect();
  try {
    // The fields that the filter's query names are locked, so the query uses up its timeout on any machine.
    await holder.query('begin; lock table record_field in access exclusive mode');
    expect((await customer.send()).status).toBe(200);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  expect((await customer.send()).status).toBe(200);
  await become('ddp slow store', [12]);
});

onEmbedded('stores records with very many deliveries at a lower priority from the first call on', async () => {
  const customer = await buildCustomer(world);
  for (let number = 0; number < 21; number++) await customer.hook({ url: 'http://127.0.0.1:9/' });
  const begun = await serverTime();
  expect((await customer.send(10)).status).toBe(200);
  expect(await usedSince('ddp slow store', begun)).toBe(0);
  expect((await customer.send(1000)).status).toBe(200);
  expect(await usedSince('ddp slow store', begun)).toBe(1);
  await become('ddp slow store', [12]);
});
