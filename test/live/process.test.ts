import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Service } from '../../src/app.js';
import { newId } from '../../src/entities/id.js';
import { startTestService } from '../support/start-service.js';
import { useWorld } from '../support/world.js';
import { begun, buildLiveWorld, type LiveWorld, missed, values } from './live-world.js';
import { overSocket, type Subscriber } from './subscriber.js';
import { watchStatements } from './watch.js';

/* Records are stored through one process; subscribers listen at another one over the same database. */
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

/** Waits until the database answers so. */
async function untilRows(query: string, holds: (rows: unknown[]) => boolean): Promise<void> {
  while (!holds((await world.pool.query(query)).rows)) await new Promise((resolve) => setTimeout(resolve, 20));
}

it('sends nothing and looks at nothing where nobody subscribes', async () => {
  const watch = watchStatements();
  await place.send({ n: 1 });
  // Each of the calls that keep a service going is made twice a second.
  await watch.until('claim', 6);
  watch.end();
  expect(watch.sent.filter((text) => /notify|pg_current_snapshot/.test(text))).toEqual([]);
});

it('tells in one process what is stored through another', async () => {
  const subscriber = await subscribe();
  await place.send({ n: 1 }, { n: 2 });
  await subscriber.until((heard) => values(heard).length === 2);
  expect(values(subscriber)).toEqual([{ n: 1 }, { n: 2 }]);
  subscriber.leave();
});

it('sends a notice of what was committed, as a range of identifiers, to those who want to know', async () => {
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
  // The wish may be heard after the first call.
  const again = setInterval(() => void place.send({ n: 4 }), 200);
  await promise;
  clearInterval(again);
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

it('finds what a lost notice told of, and hears notices again', async () => {
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

it('keeps subscribers while the database throws everybody out, and tells what they would have missed', async () => {
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

it('tells every record once while several processes store at the same time', async () => {
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
