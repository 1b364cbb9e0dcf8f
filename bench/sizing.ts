import { stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from 'graphql-ws';
import sql from 'sql-template-tag';
import { Pool } from 'undici';
import { type Costs, plannedShare, type ResourceCost } from '#operator/capacity.js';
import { rollUp } from '#records/postgres/upkeep/rollup.js';
import { noteDays, rollUpDays } from '#records/postgres/upkeep/rollup-day.js';
import { noteSummaries, summarize } from '#records/postgres/upkeep/summary.js';
import { rollupTables } from '../test/search/rollup-table.js';
import { type BenchFleet, furnish, nextItem } from './fleet.js';
import { startReceiver } from './hook-stage.js';
import { connect, settledMemory } from './mqtt.js';
import { spentBy } from './processor.js';
import { openStage, type Stage } from './stage.js';

const devices = 200;
/** Calls per second: few enough that no call waits, and many enough to measure. */
const pace = 100;
const batch = 100;

/**
 * Measures what a record, a delivery, an hour of rollups, a subscription and an idle MQTT connection cost, and prints
 * the table of docs/sizing.md. `--seconds N` (30) of each kind of load, `--subscriptions N` (500), `--connections N`
 * (2000).
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '30' },
      subscriptions: { type: 'string', default: '500' },
      connections: { type: 'string', default: '2000' },
    },
  });
  const seconds = Number(values.seconds);
  const [receiver, receiving] = await startReceiver();
  const stage = await openStage({
    MQTT_PORT: '0',
    LIVE_SUBSCRIPTIONS: '100000',
    HOOK_ALLOW_CIDRS: '127.0.0.0/8',
  });
  try {
    const service = await settledMemory(stage.pid);
    const connection = await memoryOf(stage, Number(values.connections), openConnections);
    const subscription = await memoryOf(stage, Number(values.subscriptions), openSubscriptions);
    const fleet = await furnish(stage, devices);
    await posting(stage, fleet, 3, 1);
    const idle = await loadOf(stage, () => pause(seconds * 1000));
    const single = await costOf(stage, idle, ['record'], () => posting(stage, fleet, seconds, 1));
    const batched = await costOf(stage, idle, ['record'], () => posting(stage, fleet, seconds, batch, pace / 10));
    const told = await toldCost(stage, fleet, seconds, single, idle);
    await addHook(stage, fleet, receiving);
    const hooked = await costOf(stage, idle, ['delivery'], () => posting(stage, fleet, seconds, 1));
    const delivery = { ...less(hooked, single), disk: hooked.disk };
    const rollupHour = await rollupCost(stage);
    print({ single, batched, delivery, rollupHour, told, memory: { service, subscription, connection } });
  } finally {
    receiver.kill();
    await stage.close();
  }
}

const less = (one: ResourceCost, other: ResourceCost): ResourceCost => ({
  processor: one.processor - other.processor,
  disk: one.disk - other.disk,
  log: one.log - other.log,
});

/**
 * Load in one second: processor time of the service and the database in microseconds, and bytes of the write-ahead log.
 */
interface Load {
  processor: number;
  log: number;
}

const stateOf = async (stage: Stage) => {
  const { service, database } = await spentBy(stage);
  const { rows } = await stage.pool.query<{ log: string }>(`select pg_current_wal_insert_lsn() - '0/0' as log`);
  return { processor: service + database, log: Number(rows[0]!.log), at: performance.now() };
};

const loadOf = async (stage: Stage, work: () => Promise<unknown>): Promise<Load> => {
  const before = await stateOf(stage);
  await work();
  const after = await stateOf(stage);
  const took = (after.at - before.at) / 1000;
  return { processor: (after.processor - before.processor) / took, log: (after.log - before.log) / took };
};

/** Measures the cost of work, without the cost of an idle service. `work` returns the number of its units. */
const costOf = async (
  stage: Stage,
  idle: Load,
  tables: readonly string[],
  work: () => Promise<number>,
): Promise<ResourceCost> => {
  const [size, before] = [await sizeOf(stage, tables), await stateOf(stage)];
  const units = await work();
  const after = await stateOf(stage);
  const took = (after.at - before.at) / 1000;
  return {
    processor: (after.processor - before.processor - idle.processor * took) / units,
    log: Math.max(0, (after.log - before.log - idle.log * took) / units),
    disk: ((await sizeOf(stage, tables)) - size) / units,
  };
};

/** Returns the bytes of tables and their partitions with indexes. */
const sizeOf = async ({ pool }: Stage, tables: readonly string[]): Promise<number> => {
  const { rows } = await pool.query<{ size: string }>(sql`
    select coalesce(sum(pg_total_relation_size(name::regclass) + coalesce((
             select sum(pg_total_relation_size(relid)) from pg_partition_tree(name::regclass) where relid <> name::regclass), 0)), 0) as size
      from unnest(${[...tables]}::text[]) t (name)`);
  return Number(rows[0]!.size);
};

/** Posts records at a pace, in calls per second. Returns their number. */
const posting = async (
  { base, token, organizationId }: Stage,
  fleet: BenchFleet,
  seconds: number,
  size: number,
  calls = pace,
): Promise<number> => {
  const client = new Pool(new URL(base).origin, { connections: 64 });
  const path = `/ddp/v1/organizations/${organizationId}/records`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = async () => {
    const items = Array.from({ length: size }, () => nextItem(fleet));
    const body = JSON.stringify(size === 1 ? items[0] : items);
    const answer = await client.request({ method: 'POST', path, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(text.slice(0, 500));
  };
  const begun = performance.now();
  const under: Promise<void>[] = [];
  for (let sent = 0; sent < seconds * calls; sent++) {
    under.push(post());
    await pause(Math.max(0, begun + ((sent + 1) * 1000) / calls - performance.now()));
  }
  await Promise.all(under);
  await client.close();
  return under.length * size;
};

/** Returns the service's memory per open connection or subscription, in bytes. `open` opens `count` of them. */
const memoryOf = async (
  stage: Stage,
  count: number,
  open: (stage: Stage, count: number) => Promise<() => unknown>,
): Promise<number> => {
  const before = await settledMemory(stage.pid);
  const close = await open(stage, count);
  const bytes = ((await settledMemory(stage.pid)) - before) / count;
  await close();
  return Math.max(0, bytes);
};

const openConnections = async (stage: Stage, count: number) => {
  const sockets: { destroy(): void }[] = [];
  while (sockets.length < count)
    sockets.push(
      ...(await Promise.all(Array.from({ length: Math.min(50, count - sockets.length) }, () => connect(stage)))),
    );
  return () => {
    for (const socket of sockets) socket.destroy();
  };
};

const perConnection = 20;

const openSubscriptions = async ({ base, token, organizationId, pool }: Stage, count: number) => {
  const { rows } = await pool.query<{ id: string }>('select id from application limit 1');
  const query =
    rows[0] === undefined
      ? `subscription { recordReceived(organizationId: "${organizationId}") { records { id } } }`
      : `subscription { recordReceived(organizationId: "${organizationId}", applicationId: "${rows[0].id}") { records { id } } }`;
  const url = new URL('/graphql', base.replace(/^http/, 'ws')).href;
  const clients = Array.from({ length: Math.ceil(count / perConnection) }, () =>
    createClient({ url, connectionParams: { authorization: `Bearer ${token}` } }),
  );
  for (let index = 0; index < count; index++)
    clients[index % clients.length]!.subscribe(
      { query },
      { next: () => undefined, error: () => undefined, complete: () => undefined },
    );
  await pause(2000);
  return async () => {
    for (const client of clients) await client.dispose();
  };
};

/** Returns the processor time that it takes to send one record to one subscription. */
const toldCost = async (
  stage: Stage,
  fleet: BenchFleet,
  seconds: number,
  single: ResourceCost,
  idle: Load,
): Promise<number> => {
  const close = await openSubscriptions(stage, perConnection);
  const cost = await costOf(stage, idle, [], () => posting(stage, fleet, seconds, 1));
  await close();
  return (cost.processor - single.processor) / perConnection;
};

const addHook = async ({ base, token, organizationId }: Stage, { applicationId }: BenchFleet, url: string) => {
  const answer = await fetch(`${base}/applications/${organizationId}/${applicationId}/hooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url }),
  });
  if (!answer.ok) throw new Error(await answer.text());
};

/** Stores one record per minute of each device for yesterday, and measures the rollups that upkeep builds from them. */
const rollupCost = async (stage: Stage): Promise<ResourceCost> => {
  const { pool } = stage;
  const day = new Date(Math.floor(Date.now() / 86_400_000 - 2) * 86_400_000);
  await pool.query(sql`
    insert into record (id, organization_id, device_id, product_id, ts, metadata, data, numbers, texts)
    select uuidv7(), d.organization_id, d.id, d.product_id, ${day}::timestamptz + m * interval '1 minute', '{}', '{}',
           array[15 + random() * 10, 40 + m % 50, 1000 + random() * 30, m % 2], array[case when m % 7 = 0 then 'error' else 'ok' end]
      from device d cross join generate_series(0, 1439) m`);
  const later = new Date(Date.now() + 2 * 86_400_000);
  const hours = sql`select distinct organization_id, product_id, ${day}::timestamptz + h * interval '1 hour' as hour
    from device cross join generate_series(0, 23) h`;
  await pool.query(sql`insert into record_dirty (organization_id, product_id, hour) ${hours}`);
  await pool.query(noteDays(hours));
  await pool.query(noteSummaries(hours));
  const none = { processor: 0, log: 0 };
  return costOf(stage, none, rollupTables, async () => {
    while ((await rollUp(pool, later)) > 0);
    while ((await rollUpDays(pool, later)) > 0);
    while ((await summarize(pool, later)) > 0);
    return devices * 24;
  });
};

/** Resources that a fleet needs. */
interface Needs {
  /** Records a second. */
  readonly rate: number;
  readonly cores: number;
  /** Bytes that 30 days of records take, and bytes of write-ahead log per day. */
  readonly month: number;
  readonly log: number;
}

/** Computes the needs of a fleet. @param every seconds between two records of a device */
const needsOf = (costs: Costs, devices: number, every: number): Needs => {
  const rate = devices / every;
  // A device with fewer records than one an hour also has fewer hours to sum up.
  const hours = devices / Math.max(3600, every);
  const a = (of: keyof ResourceCost) => rate * costs.single[of] + hours * costs.rollupHour[of];
  return { rate, cores: a('processor') / 1e6 / plannedShare, month: a('disk') * 30 * 86_400, log: a('log') * 86_400 };
};

const print = (costs: Costs) => {
  stdout.write(
    `\n${JSON.stringify(costs, (_, value: unknown) => (typeof value === 'number' ? Math.round(value) : value), 2)}\n\n`,
  );
  const gib = (bytes: number) => (bytes / 2 ** 30).toPrecision(2);
  for (const [name, every] of [
    ['minute', 60],
    ['quarter-hour', 900],
  ] as const) {
    stdout.write(`One record a ${name}\n`);
    for (const count of [1e3, 1e4, 1e5, 1e6]) {
      const { rate, cores, month, log } = needsOf(costs, count, every);
      stdout.write(
        `| ${count.toLocaleString('en')} | ${rate.toPrecision(2)} | ${cores.toFixed(1)} | ${gib(month)} GiB | ${gib(log)} GiB |\n`,
      );
    }
  }
};
