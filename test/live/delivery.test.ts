import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Service } from '#app/app.js';
import { readConfig } from '#config/config.js';
import { fine, type Receiver, startReceiver, status } from '../hooks/receiver.js';
import { startTestService } from '../support/start-service.js';
import { useWorld } from '../support/world.js';
import { begun, buildLiveWorld, type LiveWorld } from './live-world.js';
import { type Heard, overEvents, overSocket, type Subscriber } from './subscriber.js';

const { hooks } = readConfig({ HOOK_ALLOW_CIDRS: '127.0.0.0/8', HOOK_RETRY_SCHEDULE: '12s,1h' });
const world = useWorld({ config: { hooks } });
/** A second process that stores nothing but also sends deliveries: what one settles, the other reports. */
let other: Service;
beforeAll(async () => {
  other = await startTestService(world.databaseUrl, { config: { hooks } });
});
afterAll(() => other.close());

const query = `subscription ($organizationId: ID!, $applicationId: ID!, $applicationHookId: ID!) {
  deliveryUpdated(organizationId: $organizationId, applicationId: $applicationId, applicationHookId: $applicationHookId) {
    missed
    deliveries { id attemptsMade successful response { statusCode } device { serial } }
  }
}`;

const told = ({ results }: Heard): any[] => results.flatMap(({ data }) => data?.['deliveryUpdated']?.deliveries ?? []);

async function hookOf({ owner, path }: LiveWorld, receiver: Receiver) {
  const id = await owner.make(`${path}/hooks`, { url: receiver.url() });
  return { id, path: `${path}/hooks/${id}` };
}

const listen = async (
  way: typeof overSocket,
  origin: string,
  place: LiveWorld,
  hookId: string,
): Promise<Subscriber> => {
  const { owner, applicationId } = place;
  const variables = { organizationId: owner.id, applicationId, applicationHookId: hookId };
  const subscriber = way(origin, owner.token, { query, variables });
  await subscriber.until(begun);
  return subscriber;
};

it('sends deliveryUpdated in every process when a delivery is stored and when it is settled', async () => {
  const place = await buildLiveWorld(world);
  let answer: (() => void) | undefined;
  const receiver = await startReceiver((response) => (answer = () => void response.end('fine')));
  const hook = await hookOf(place, receiver);
  const subscribers = [
    await listen(overSocket, world.url, place, hook.id),
    await listen(overEvents, other.url, place, hook.id),
  ];
  await place.send({ n: 1 });
  for (const subscriber of subscribers) {
    await subscriber.until((heard) => told(heard).length > 0);
    expect(told(subscriber)[0]).toMatchObject({
      attemptsMade: 0,
      successful: false,
      response: null,
      device: { serial: place.serial },
    });
  }
  await receiver.received(1);
  answer!();
  for (const subscriber of subscribers) {
    await subscriber.until((heard) => told(heard).at(-1).attemptsMade === 1);
    expect(told(subscriber).at(-1)).toMatchObject({ successful: true, response: { statusCode: 200 } });
    expect(new Set(told(subscriber).map(({ id }) => id)).size).toBe(1);
    // The claim between the two changes nothing visible, so it sends no event.
    expect(told(subscriber).map(({ attemptsMade }) => attemptsMade)).toEqual([0, 1]);
    subscriber.leave();
  }
  await receiver.close();
});

it('sends deliveryUpdated for an attempt long after the delivery was stored', async () => {
  const place = await buildLiveWorld(world);
  let calls = 0;
  const receiver = await startReceiver((response, call) => (calls++ === 0 ? status(500) : fine)(response, call));
  const hook = await hookOf(place, receiver);
  const subscriber = await listen(overSocket, other.url, place, hook.id);
  await place.send({ n: 1 });
  await subscriber.until((heard) => told(heard).at(-1)?.attemptsMade === 1);
  // Makes the delivery look an hour old before its next attempt.
  const { id } = told(subscriber)[0];
  await place.owner.graph(
    `mutation ($organizationId: ID!, $applicationId: ID!, $applicationHookId: ID!, $deliveryId: ID!) {
      redeliverApplicationHookDelivery(organizationId: $organizationId, applicationId: $applicationId, applicationHookId: $applicationHookId, deliveryId: $deliveryId) { id } }`,
    { organizationId: place.owner.id, applicationId: place.applicationId, applicationHookId: hook.id, deliveryId: id },
  );
  await subscriber.until((heard) => told(heard).at(-1).attemptsMade >= 2);
  expect(told(subscriber).at(-1)).toMatchObject({ id, successful: true });
  subscriber.leave();
  await receiver.close();
});

it('sends deliveryUpdated for a change of an old delivery whose notification was lost', async () => {
  const place = await buildLiveWorld(world);
  const receiver = await startReceiver();
  const hook = await hookOf(place, receiver);
  const subscriber = await listen(overSocket, world.url, place, hook.id);
  const old = '01800000-0000-7000-8000-000000000001';
  await world.pool.query(
    `insert into delivery (id, hook_id, organization_id, application_id, device_id, event, state, done, queued_at, next_attempt_at,
       attempts_made, max_attempts, payload, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'record', 'failed', true, now(), now(), 3, 3, '{}', now() - interval '1 day', now())`,
    [old, hook.id, place.owner.id, place.applicationId, place.deviceId],
  );
  await subscriber.until((heard) => told(heard).length > 0);
  expect(told(subscriber)).toEqual([expect.objectContaining({ id: old, attemptsMade: 3 })]);
  subscriber.leave();
  await receiver.close();
});

it('sends deliveryUpdated for pings, and nothing of other hooks', async () => {
  const place = await buildLiveWorld(world);
  const receiver = await startReceiver();
  const [hook, quiet] = [await hookOf(place, receiver), await hookOf(place, receiver)];
  const [subscriber, silent] = [
    await listen(overSocket, world.url, place, hook.id),
    await listen(overSocket, world.url, place, quiet.id),
  ];
  const id = await place.owner.make(`${hook.path}/ping`);
  await subscriber.until((heard) => told(heard).at(-1)?.attemptsMade === 1);
  expect(told(subscriber).at(-1)).toMatchObject({ id, successful: true, device: null });
  expect(told(silent)).toEqual([]);
  for (const one of [subscriber, silent]) one.leave();
  await receiver.close();
});
