import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Service } from '#app/app.js';
import { newId } from '#entities/id.js';
import { startTestService } from '../support/start-service.js';
import { useWorld } from '../support/world.js';
import { begun, buildLiveWorld, codeOf, type LiveWorld, missed, values } from './live-world.js';
import { type Heard, overEvents, overSocket, type Subscriber } from './subscriber.js';

const world = useWorld({});
/** A returning subscriber may reach another process. */
let other: Service;
beforeAll(async () => {
  other = await startTestService(world.databaseUrl);
});
afterAll(() => other.close());

const query = `subscription ($organizationId: ID!, $applicationId: ID!, $query: JSONObject, $limit: Int, $after: String) {
  recordReceived(organizationId: $organizationId, applicationId: $applicationId, query: $query, limit: $limit, after: $after) {
    cursor missed records { id data } } }`;

const wanted = ({ owner, applicationId }: LiveWorld, more: object = {}) => ({
  query,
  variables: { organizationId: owner.id, applicationId, ...more },
});

const cursorOf = ({ results }: Heard): string => results.at(-1)!.data!['recordReceived'].cursor;

async function leave(subscriber: Subscriber): Promise<string> {
  const cursor = cursorOf(subscriber);
  subscriber.leave();
  await subscriber.until(({ over }) => over);
  return cursor;
}

describe.each([
  ['a WebSocket', overSocket],
  ['server-sent events', overEvents],
])('recordReceived with a cursor over %s', (_way, subscribe) => {
  it('sends missed records once, and then new ones', async () => {
    const place = await buildLiveWorld(world);
    const first = subscribe(world.url, place.owner.token, wanted(place));
    await first.until(begun);
    await place.send({ n: 1 }, { n: 2 });
    await first.until((heard) => values(heard).length === 2);
    const cursor = await leave(first);
    await place.send({ n: 3 });
    await place.send({ n: 4 });
    const second = subscribe(other.url, place.owner.token, wanted(place, { after: cursor }));
    await second.until(begun);
    await place.send({ n: 5 });
    await second.until((heard) => values(heard).length >= 3);
    expect(values(second)).toEqual([{ n: 3 }, { n: 4 }, { n: 5 }]);
    expect(missed(second)).toBe(0);
    second.leave();
  });
});

it('resumes recordReceived from the cursor of any event, including the first, empty one', async () => {
  const place = await buildLiveWorld(world);
  const first = overSocket(world.url, place.owner.token, wanted(place, { limit: 1 }));
  await first.until(begun);
  const empty = cursorOf(first);
  await place.send({ n: 1 }, { n: 2 }, { n: 3 });
  await first.until(({ results }) => results.length === 4);
  const cursor: string = first.results[1]!.data!['recordReceived'].cursor;
  await leave(first);
  for (const [after, expected] of [
    [cursor, [{ n: 2 }, { n: 3 }]],
    [empty, [{ n: 1 }, { n: 2 }, { n: 3 }]],
  ] as const) {
    const second = overSocket(world.url, place.owner.token, wanted(place, { after }));
    await second.until(begun);
    expect(values(second)).toEqual(expected);
    second.leave();
  }
});

it('sends a returning subscriber a record that was uncommitted at the cursor', async () => {
  const place = await buildLiveWorld(world);
  const writer = new pg.Client({ connectionString: world.databaseUrl, application_name: 'ddp store' });
  await writer.connect();
  await writer.query('begin');
  await writer.query(
    `insert into record (id, organization_id, device_id, ts, metadata, data) values ($1, $2, $3, now(), '{}', '{"late": true}')`,
    [newId(), place.owner.id, place.deviceId],
  );
  const first = overSocket(world.url, place.owner.token, wanted(place));
  await first.until(begun);
  await place.send({ early: true });
  await first.until((heard) => values(heard).length === 1);
  const cursor = await leave(first);
  await writer.query('commit');
  await writer.end();
  const second = overSocket(world.url, place.owner.token, wanted(place, { after: cursor }));
  await second.until(begun);
  expect(values(second)).toEqual([{ late: true }]);
  second.leave();
});

it('sends a returning subscriber only missed records that match the query', async () => {
  const place = await buildLiveWorld(world);
  await place.send({ t: 1 });
  const match = { query: { range: { 'data.t': { gt: 10 } } } };
  const first = overSocket(world.url, place.owner.token, wanted(place, match));
  await first.until(begun);
  const cursor = await leave(first);
  await place.send({ t: 5 }, { t: 15 }, { t: 20 });
  const second = overSocket(world.url, place.owner.token, wanted(place, { ...match, after: cursor }));
  await second.until(begun);
  expect(values(second)).toEqual([{ t: 15 }, { t: 20 }]);
  second.leave();
});

it('sends a returning subscriber the newest 1,000 records since the cursor, and counts earlier ones as missed', async () => {
  const place = await buildLiveWorld(world);
  const first = overSocket(world.url, place.owner.token, wanted(place));
  await first.until(begun);
  const cursor = await leave(first);
  const total = 1200;
  for (let n = 0; n < total; n += 200) {
    await place.send(...Array.from({ length: 200 }, (_, index) => ({ n: n + index })));
  }
  const second = overSocket(world.url, place.owner.token, wanted(place, { after: cursor, limit: 500 }));
  await second.until((heard) => values(heard).length >= 1000);
  expect(missed(second)).toBe(200);
  expect(values(second).map(({ n }) => n)).toEqual(Array.from({ length: 1000 }, (_, index) => 200 + index));
  second.leave();
});

describe('invalid or foreign cursor of recordReceived', () => {
  const made = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
  it.each([
    ['that is not valid base64 JSON', 'nonsense'],
    ['whose snapshot PostgreSQL cannot read', made('5:3:9', Date.now(), '')],
    ['that is older than an hour', made('1:1:', Date.now() - 3_700_000, '')],
  ])('returns VALIDATION_FAILED for a cursor %s', async (_name, after) => {
    const place = await buildLiveWorld(world);
    for (const way of [overSocket, overEvents]) {
      const refused = way(world.url, place.owner.token, wanted(place, { after }));
      await refused.until(({ over }) => over);
      expect(codeOf(refused)).toBe('VALIDATION_FAILED');
      const [error] = refused.fault ?? refused.results[0]!.errors;
      expect(error.extensions.errors).toEqual([{ path: 'after', message: expect.any(String) }]);
    }
  });

  it('sends nothing of the organization that issued the cursor', async () => {
    const place = await buildLiveWorld(world);
    const stranger = await buildLiveWorld(world);
    const first = overSocket(world.url, place.owner.token, wanted(place));
    await first.until(begun);
    const cursor = await leave(first);
    await place.send({ ours: true });
    await stranger.send({ theirs: true });
    const second = overSocket(world.url, stranger.owner.token, wanted(stranger, { after: cursor }));
    await second.until(begun);
    expect(values(second)).toEqual([{ theirs: true }]);
    second.leave();
  });
});
