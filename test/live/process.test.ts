import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Service } from '#app/app.js';
import { newId } from '#entities/id.js';
import { startTestService } from '../support/start-service.js';
import { useWorld } from '../support/world.js';
import { begun, buildLiveWorld, type LiveWorld, missed, values } from './live-world.js';
import { overSocket, type Subscriber } from './subscriber.js';
import { watchStatements } from './watch.js';

/* Records are stored through one process, while subscribers listen at another one on the same database. */
const world = useWorld({});
let other: Service;
let place: LiveWorld;

beforeAll(async () => {
  other = await startTestService(world.databaseUrl);
  place = await buildLiveWorld(world);
});
afterAll(() => other.close());

const subscribe = async (): Promise<Subscriber> => {
  const subscriber = overSocket(other.url, place.owner.token, place.records());
  await subscriber.until(begun);
  return subscriber;
};

const listeners =
  "select pid from pg_stat_activity where application_name = 'ddp listen' and datname = current_database()";

/** Polls until the rows of the query satisfy `holds`. */
async function untilRows(query: string, holds: (rows: unknown[]) => boolean): Promise<void> {
  while (!holds((await world.pool.query(query)).rows)) await new Promise((resolve) => setTimeout(resolve, 20));
}

it('sends no notifications and no polls to the database when nobody subscribes', async () => {
  const watch = watchStatements();
  await place.send({ n: 1 });
  // Each background statement is sent twice a second.
  await watch.until('claim', 6);
  watch.end();
  expect(watch.sent.filter((text) => /notify|pg_current_snapshot/.test(text))).toEqual([]);
});

it('sends a subscriber the records that another process stores', async () => {
  const subscriber = await subscribe();
  await place.send({ n: 1 }, { n: 2 });
  await subscriber.until((heard) => values(heard).length === 2);
  expect(values(subscriber)).toEqual([{ n: 1 }, { n: 2 }]);
  subscriber.leave();
});

it('notifies database listeners of each commit with a range of record identifiers', async () => {
  const listener = new pg.Client(world.databaseUrl);
  await listener.connect();
  const heard: { from: string; records?: { low: string; high: string }[] }[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  listener.on('notification', ({ payload }) => {
    heard.push(JSON.parse(payload!));
    if (heard.at(-1)!.records) resolve();
  });
  await listener.query('listen ddp_live');
  const before = newId();
  await listener.query("select pg_notify('ddp_live', $1)", [JSON.stringify({ from: 'a test', want: ['records'] })]);
  await place.send({ n: 2 }, { n: 3 });
  // The process may learn about the listener only after the first call.
  const heardAny = promise.then(() => true);
  while (!(await Promise.race([heardAny, delay(200, false)]))) await place.send({ n: 4 });
  await listener.end();
  const notices = heard.filter(({ from }) => from !== 'a test');
  expect(notices.length).toBeGreaterThan(0);
  for (const { low, high } of notices.flatMap(({ records }) => records ?? [])) {
    expect(high >= low).toBe(true);
  }
  const { rows } = await world.pool.query<{ id: string }>('select id from record where id > $1', [before]);
  const ranges = notices.flatMap(({ records }) => records ?? []);
  expect(rows.some(({ id }) => ranges.some(({ low, high }) => low <= id && id <= high))).toBe(true);
});

it('sends a subscriber records whose notification was lost, and hears notifications again after reconnecting', async () => {
  const subscriber = await subscribe();
  const { rows } = await world.pool.query<{ pid: number }>(listeners);
  expect(rows.length).toBeGreaterThanOrEqual(2);
  await world.pool.query(`select pg_terminate_backend(pid) from (${listeners}) l`);
  await place.send({ lost: 1 });
  await subscriber.until((heard) => values(heard).length === 1);
  const gone = rows.map(({ pid }) => pid).join(',');
  await untilRows(`${listeners} and pid not in (${gone})`, (found) => found.length >= 2);
  await place.send({ heard: 2 });
  await subscriber.until((heard) => values(heard).length === 2);
  expect(values(subscriber)).toEqual([{ lost: 1 }, { heard: 2 }]);
  subscriber.leave();
});

it('keeps a subscription when the database closes all connections, and misses no record', async () => {
  const subscriber = await subscribe();
  await place.send({ n: 1 });
  await subscriber.until((heard) => values(heard).length === 1);
  await world.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name in ('ddp live', 'ddp listen', 'ddp read') and datname = current_database()",
  );
  await place.send({ n: 2 });
  await place.send({ n: 3 });
  await subscriber.until((heard) => values(heard).length === 3);
  expect(values(subscriber)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect([subscriber.over, missed(subscriber)]).toEqual([false, 0]);
  subscriber.leave();
});

it('sends a subscriber every record once while 20 senders store concurrently', async () => {
  const subscriber = await subscribe();
  const senders = Array.from({ length: 20 }, async (_, sender) => {
    for (let n = 0; n < 5; n++) await place.send({ sender, n }, { sender, n: n + 0.5 });
  });
  await Promise.all(senders);
  await subscriber.until((heard) => values(heard).length >= 200);
  expect(missed(subscriber)).toBe(0);
  expect(new Set(values(subscriber).map(({ sender, n }) => `${sender}/${n}`)).size).toBe(200);
  expect(values(subscriber)).toHaveLength(200);
  subscriber.leave();
});
