import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Service } from '#app/app.js';
import { newId } from '#entities/id.js';
import { startTestService } from '../../support/start-service.js';
import { useWorld } from '../../support/world.js';
import { begun, buildLiveWorld, type LiveWorld, values } from '../live-world.js';
import { overSocket, type Subscriber } from '../subscriber.js';
import { watchStatements } from '../watch.js';

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

it('sends a subscriber each record once, even a record that commits after records that were stored later', async () => {
  const subscriber = await subscribe();
  const writer = new pg.Client({ connectionString: world.databaseUrl, application_name: 'ddp store' });
  await writer.connect();
  await writer.query('begin');
  await writer.query(
    `insert into record (id, organization_id, device_id, ts, metadata, data) values ($1, $2, $3, now(), '{}', '{"late": true}')`,
    [newId(), place.owner.id, place.deviceId],
  );
  await place.send({ early: 1 });
  await subscriber.until((heard) => values(heard).length === 1);
  // Several polls have passed before the commit, and the service has already sent a record that was stored later.
  await place.send({ early: 2 });
  await subscriber.until((heard) => values(heard).length === 2);
  const watch = watchStatements();
  await watch.until('pg_stat_activity', 4);
  watch.end();
  await writer.query('commit');
  await writer.end();
  await subscriber.until((heard) => values(heard).length === 3);
  await place.send({ after: true });
  await subscriber.until((heard) => values(heard).length === 4);
  expect(values(subscriber)).toEqual([{ early: 1 }, { early: 2 }, { late: true }, { after: true }]);
  subscriber.leave();
});
