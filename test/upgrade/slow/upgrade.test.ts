import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { ormOptions } from '../../../mikro-orm.config.js';
import { migrate } from '../../../src/database/migrate.js';
import { OnlineMigration } from '../../../src/database/online-migration.js';
import { createLog, type Log } from '../../../src/log.js';
import { useDatabase } from '../../support/database.js';
import { createDatabase } from '../../support/server.js';
import { deliver, describeSchema, makeFirstRelease, newDelivery } from '../first-release.js';

const connect = async (connectionString: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
};

/** A log whose lines are kept, and a wait for one of them. */
function keepLog() {
  const lines: Record<string, unknown>[] = [];
  const log: Log = createLog('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  return { log, lines };
}

async function isOnline(name: string): Promise<boolean> {
  const exported = (await import(`../../../migrations/${name}.js`)) as Record<string, { prototype: unknown }>;
  return Object.values(exported).some(({ prototype }) => prototype instanceof OnlineMigration);
}

describe('an upgrade of a database of 0.1.0', () => {
  const fresh = useDatabase();
  let url: string;
  let orm: MikroORM;
  let client: pg.Client;

  beforeAll(async () => {
    url = await createDatabase({ template: false });
    client = await connect(url);
    await makeFirstRelease(client, { devices: 1000, records: 20_000, deliveries: 20_000 });
    orm = await MikroORM.init(ormOptions(url, '-c lock_timeout=500'));
  });

  afterAll(async () => {
    await orm?.close();
    await client.end();
  });

  it('lets others write while it builds indexes, says for whom it waits, and loses nothing', async () => {
    const { log, lines } = keepLog();
    // Someone who has written and does not end: who waits for him with a strong lock makes everyone else wait as well.
    const slow = await connect(url);
    await slow.query('begin');
    await slow.query(newDelivery);
    let over = false;
    const migrated = migrate(orm, { log, every: 20 }).finally(() => (over = true));
    while (!over && !lines.some(({ waitsFor }) => waitsFor !== undefined)) await nextTurn();
    expect(over).toBe(false);
    // None of the others may wait for as long as he does.
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
    expect(rows[0]).toEqual({ n: 20_000 + settled, open: 1, numbers: 1000 });
  });

  it('ends with the schema of a new database', async () => {
    const other = await connect(fresh.url);
    expect(await describeSchema(client)).toEqual(await describeSchema(other));
    await other.end();
  });

  it('can be done again from any migration that ended half-way', async () => {
    const before = await describeSchema(client);
    const { rows } = await client.query<{ name: string }>('select name from migration order by id');
    for (const { name } of rows.slice(5)) {
      if (await isOnline(name)) await client.query('delete from migration where name = $1', [name]);
    }
    expect((await migrate(orm)).length).toBeGreaterThan(5);
    expect(await describeSchema(client)).toEqual(before);
  });
});
