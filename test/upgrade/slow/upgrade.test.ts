import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { ormOptions } from '../../../mikro-orm.config.js';
import { readConfig } from '../../../src/config.js';
import { migrate } from '../../../src/database/migrate.js';
import { OnlineMigration } from '../../../src/database/online-migration.js';
import { createLog, type Log } from '../../../src/log.js';
import { createToken } from '../../../src/operator/token.js';
import { startReceiver } from '../../hooks/receiver.js';
import { importing } from '../../imports/imported.js';
import { connect as connectMqtt, mqttConfig } from '../../mqtt/mqtt-world.js';
import { Client } from '../../support/client.js';
import { useDatabase } from '../../support/database.js';
import { createDatabase } from '../../support/server.js';
import { startTestService } from '../../support/start-service.js';
import {
  applicationId,
  deliver,
  describeSchema,
  hookId,
  makeFirstRelease,
  newDelivery,
  organizationId,
} from '../first-release.js';

/** A device of 0.1.0 with dashes in its serial, `0a-1b-ff`. */
const dashedId = '01900000-0000-7000-8000-0000000f0000';

const connect = async (connectionString: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
};

/** Collects log lines, and waits for one of them. */
function keepLog() {
  const lines: Record<string, unknown>[] = [];
  const log: Log = createLog('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  return { log, lines };
}

async function isOnline(name: string): Promise<boolean> {
  const exported = (await import(`../../../migrations/${name}.js`)) as Record<string, { prototype: unknown }>;
  return Object.values(exported).some(({ prototype }) => prototype instanceof OnlineMigration);
}

describe('upgrade of a database of 0.1.0', () => {
  const fresh = useDatabase();
  let url: string;
  let orm: MikroORM;
  let client: pg.Client;

  beforeAll(async () => {
    url = await createDatabase({ template: false });
    client = await connect(url);
    await makeFirstRelease(client, { devices: 1000, records: 20_000, deliveries: 20_000 });
    await client.query(
      `insert into device (id, organization_id, serial, slug, created_at, updated_at) values ($1, $2, '0a-1b-ff', 'dashed', now(), now())`,
      [dashedId, organizationId],
    );
    orm = await MikroORM.init(ormOptions(url, '-c lock_timeout=500'));
  });

  afterAll(async () => {
    await orm?.close();
    await client.end();
  });

  it('lets others write while it builds indexes, logs for whom it waits, and loses nothing', async () => {
    const { log, lines } = keepLog();
    // A writer that does not commit: whoever waits for it with a strong lock makes all others wait too.
    const slow = await connect(url);
    await slow.query('begin');
    await slow.query(newDelivery);
    let over = false;
    const migrated = migrate(orm, { log, every: 20 }).finally(() => (over = true));
    while (!over && !lines.some(({ waitsFor }) => waitsFor !== undefined)) await nextTurn();
    expect(over).toBe(false);
    // No other writer may wait as long as this one runs.
    await client.query(`set statement_timeout = '20s'`);
    for (let i = 0; i < 50; i++) await deliver(client);
    await slow.query('commit');
    await slow.end();
    let settled = 50;
    const others = (async () => {
      for (; !over; settled++) await deliver(client);
    })();
    expect((await migrated).length).toBeGreaterThan(10);
    await others;
    const building = lines.filter(({ index }) => index !== undefined);
    expect(building.length).toBeGreaterThan(0);
    expect(building[0]).toMatchObject({ table: expect.any(String), phase: expect.any(String) });
    const { rows } = await client.query<{ n: number; open: number; numbers: number }>(
      `select (select count(*)::int from delivery where done) n, (select count(*)::int from delivery where not done) open,
              (select count(distinct number)::int from device) numbers`,
    );
    expect(rows[0]).toEqual({ n: 20_000 + settled, open: 1, numbers: 1001 });
  });

  it('ends with the schema of a new database', async () => {
    const other = await connect(fresh.url);
    expect(await describeSchema(client)).toEqual(await describeSchema(other));
    await other.end();
  });

  it('repeats any migration that stopped half-way', async () => {
    const before = await describeSchema(client);
    const { rows } = await client.query<{ name: string }>('select name from migration order by id');
    for (const { name } of rows.slice(5)) {
      if (await isOnline(name)) await client.query('delete from migration where name = $1', [name]);
    }
    expect((await migrate(orm)).length).toBeGreaterThan(5);
    expect(await describeSchema(client)).toEqual(before);
  });

  it('matches existing devices by serial regardless of case: in search, links, MQTT, CSV and hooks', async () => {
    const receiver = await startReceiver();
    const { hooks } = readConfig({ HOOK_ALLOW_CIDRS: '127.0.0.0/8' });
    const service = await startTestService(url, { config: { ...mqttConfig(), hooks } });
    try {
      const { token } = await createToken(client, { organizationId }, new Date());
      const owner = new Client(`${service.url}/ddp/v1`, token);
      const application = `/applications/${organizationId}/${applicationId}`;
      await owner.put(`${application}/hooks/${hookId}`, { url: receiver.url() });
      const taken = await owner.post(`/organizations/${organizationId}/devices/0A1B-FF`, {});
      expect(taken).toMatchObject({ status: 409, body: { message: expect.stringContaining(dashedId) } });
      expect(await owner.put(`${application}/devices/${dashedId}`)).toMatchObject({ status: 204 });
      const listed = await owner.get(`/organizations/${organizationId}/devices?q=0A1BFF`);
      expect(listed.body).toMatchObject([{ id: dashedId, serial: '0a-1b-ff', applicationCount: 1 }]);

      const posted = await owner.post(`/organizations/${organizationId}/records`, { serial: '0A1BFF', data: { n: 1 } });
      expect(posted.body).toMatchObject({ accepted: 1 });
      const device = await connectMqtt(service.mqttUrl!, { username: token, clientId: '0A-1B-FF' });
      await device.publishAsync('v1/devices/me/telemetry', JSON.stringify({ n: 2 }), { qos: 1 });
      device.end(true);
      const file = `serial,ts,n\n0A1b-ff,${Math.floor(Date.now() / 1000)},3`;
      const imported = await importing({ id: organizationId, owner }).whole('/records?dryRun=false', file);
      expect(imported).toMatchObject({ created: 1, rejected: 0 });

      const query = { term: { 'device.serial': '0A1BFF' } };
      const found = await owner.post(`${application}/search`, {
        ts: { gte: 0, lte: 4_102_444_800 },
        queries: [{ products: [], query, aggs: { all: { sum: { field: 'data.n' } } } }],
      });
      expect(found.body).toMatchObject({
        responses: [{ hits: { total: { value: 3 } }, aggregations: { all: { value: 6 } } }],
      });
      // Imports call no hooks.
      expect((await receiver.received(2)).map(({ body }) => JSON.parse(body))).toMatchObject([
        { device: { serial: '0a-1b-ff' } },
        { device: { serial: '0a-1b-ff' } },
      ]);
    } finally {
      await service.close();
      await receiver.close();
    }
  });
});
