import { describe, expect, it } from '@jest/globals';
import { useWorld } from '../support/world.js';
import { addDevice, begun, buildLiveWorld, codeOf, values } from './live-world.js';
import { overEvents, overSocket, type Subscriber } from './subscriber.js';
import { watchStatements } from './watch.js';

const world = useWorld({});

const ways = [
  ['a WebSocket', overSocket],
  ['server-sent events', overEvents],
] as const;

describe.each(ways)('recordReceived over %s', (_way, subscribe) => {
  it('sends records in order of storing', async () => {
    const place = await buildLiveWorld(world);
    const subscriber = subscribe(world.url, place.owner.token, place.records());
    await subscriber.until(begun);
    expect(values(subscriber)).toEqual([]);
    await place.send({ n: 1 }, { n: 2 });
    await place.send({ n: 3 });
    await subscriber.until((heard) => values(heard).length === 3);
    expect(values(subscriber)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    subscriber.leave();
    await subscriber.until(({ over }) => over);
  });

  it('sends only records of the named devices', async () => {
    const place = await buildLiveWorld(world);
    const other = await addDevice(place);
    const subscriber = subscribe(world.url, place.owner.token, place.records({ deviceIds: [other.id] }));
    await subscriber.until(begun);
    await place.send({ n: 1 });
    await place.owner.post(`/organizations/${place.owner.id}/records`, { serial: other.serial, data: { n: 2 } });
    await subscriber.until((heard) => values(heard).length > 0);
    expect(values(subscriber)).toEqual([{ n: 2 }]);
    subscriber.leave();
  });

  it('returns NOT_FOUND for devices that are not linked to the application', async () => {
    const place = await buildLiveWorld(world);
    const unlinked = await place.owner.make(`/organizations/${place.owner.id}/devices/0b0001`);
    const { deviceId: theirs } = await buildLiveWorld(world);
    for (const id of ['nonsense', unlinked, theirs]) {
      const refused = subscribe(world.url, place.owner.token, place.records({ deviceIds: [place.deviceId, id] }));
      await refused.until(({ over }) => over);
      expect(codeOf(refused)).toBe('NOT_FOUND');
    }
  });

  it('sends only records that match the query', async () => {
    const place = await buildLiveWorld(world);
    // The first record gives the undeclared field its type.
    await place.send({ t: 1 });
    const query = { range: { 'data.t': { gt: 10 } } };
    const subscriber = subscribe(world.url, place.owner.token, place.records({ query }));
    await subscriber.until(begun);
    await place.send({ t: 5 }, { t: 15 }, { t: 10 }, { t: 20 });
    await subscriber.until((heard) => values(heard).length === 2);
    expect(values(subscriber)).toEqual([{ t: 15 }, { t: 20 }]);
    subscriber.leave();
  });

  it('returns VALIDATION_FAILED for an invalid query, as a search does', async () => {
    const place = await buildLiveWorld(world);
    const subscriber = subscribe(world.url, place.owner.token, place.records({ query: { foo: {} } }));
    await subscriber.until(({ over }) => over);
    expect(codeOf(subscriber)).toBe('VALIDATION_FAILED');
    const [error] = subscriber.fault ?? subscriber.results[0]!.errors;
    expect(error.message).toContain('unknown query [foo]');
    expect(error.extensions.errors).toEqual([{ path: 'query.foo', message: 'unknown query [foo]' }]);
  });

  it('sends no records of another application or organization', async () => {
    const place = await buildLiveWorld(world);
    const stranger = await buildLiveWorld(world);
    const subscriber = subscribe(world.url, place.owner.token, place.records());
    await subscriber.until(begun);
    await stranger.send({ theirs: true });
    await place.send({ ours: true });
    await subscriber.until((heard) => values(heard).length > 0);
    expect(values(subscriber)).toEqual([{ ours: true }]);
    const refused = subscribe(world.url, stranger.owner.token, place.records());
    await refused.until(({ over }) => over);
    expect(codeOf(refused)).toBe('NOT_FOUND');
    subscriber.leave();
  });
});

it('sends recordReceived with the device of each record', async () => {
  const place = await buildLiveWorld(world);
  const query = `subscription { recordReceived(organizationId: "${place.owner.id}", applicationId: "${place.applicationId}") {
    records { device { serial } values { name value } } } }`;
  const subscriber = overSocket(world.url, place.owner.token, { query });
  await subscriber.until(begun);
  await place.send({ n: 1 });
  await subscriber.until(({ results }) => results.length > 1);
  const record = { device: { serial: place.serial }, values: [{ name: 'n', value: 1 }] };
  expect(subscriber.results[1]).toEqual({ data: { recordReceived: { records: [record] } } });
  subscriber.leave();
});

it('reads a new record from the database once for all subscribers of a process', async () => {
  const place = await buildLiveWorld(world);
  const some: Subscriber[] = [];
  for (let n = 0; n < 40; n++)
    some.push((n % 2 ? overEvents : overSocket)(world.url, place.owner.token, place.records()));
  for (const subscriber of some) await subscriber.until(begun);
  const watch = watchStatements();
  await place.send({ n: 1 }, { n: 2 });
  for (const subscriber of some) await subscriber.until((heard) => values(heard).length === 2);
  watch.end();
  const reads = watch.sent.filter((text) => text.startsWith('live-records')).length;
  expect(reads).toBeGreaterThan(0);
  // The service reads once for the notification, and once for each second of the test.
  expect(reads).toBeLessThan(15);
  for (const subscriber of some) subscriber.leave();
});
