import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createLog, type Log } from '#common/log.js';
import { useDatabase } from '../../support/database.js';
import { deliver, fillTables, madeUpName, migrateMadeUp, newDelivery } from '../made-up.js';

const connect = async (connectionString: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
};

/** A log that keeps its lines. */
function keepLog() {
  const lines: Record<string, unknown>[] = [];
  const log: Log = createLog('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  return { log, lines };
}

const indexes = `
  select r.relname as table, i.relname as name, x.indisvalid as valid, pg_get_indexdef(i.oid) as definition
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class r on r.oid = x.indrelid
   where r.relname ~ '^(delivery|device)' order by 1, 2`;

describe('an online migration', () => {
  const database = useDatabase();
  let client: pg.Client;

  beforeAll(async () => {
    client = await connect(database.url);
    await fillTables(client, { devices: 1000, records: 1000, deliveries: 20_000 });
  });

  afterAll(() => client.end());

  it('lets other sessions write while it builds indexes, logs the session that it waits for, and loses no row', async () => {
    const { log, lines } = keepLog();
    // A transaction that has written and stays open. A statement that waited for it with a strong lock would block all
    // others behind it.
    const slow = await connect(database.url);
    await slow.query('begin');
    await slow.query(newDelivery);
    // It holds up the build of a partition's index, which would otherwise be over before the log looks at it.
    const writer = await connect(database.url);
    await writer.query('begin; lock table delivery_open in row exclusive mode');
    let over = false;
    const migrated = migrateMadeUp(database.url, { log, every: 20 }).finally(() => (over = true));
    const waits = (line: Record<string, unknown>) => line['waitsFor'] !== undefined;
    while (!over && !lines.some(waits)) await nextTurn();
    expect(over).toBe(false);
    await client.query(`set statement_timeout = '20s'`);
    for (let i = 0; i < 50; i++) await deliver(client);
    await slow.query('commit');
    await slow.end();
    let settled = 50;
    const others = (async () => {
      for (; !over; settled++) await deliver(client);
    })();
    const building = () => lines.find((line) => line['index'] !== undefined && waits(line));
    while (!over && building() === undefined) await nextTurn();
    await writer.query('commit');
    await writer.end();
    expect(await migrated).toEqual([madeUpName]);
    await others;
    expect(building()).toMatchObject({ table: expect.any(String), phase: expect.any(String) });
    const { rows } = await client.query(
      `select (select count(*)::int from delivery where done) done, (select count(*)::int from delivery where not done) open,
              (select count(*)::int from device where color = 'grey') colored`,
    );
    expect(rows).toEqual([{ done: 20_000 + settled, open: 1, colored: 1000 }]);
  });

  it('replaces indexes and the key of every partition', async () => {
    const { rows } = await client.query<{ table: string; name: string; valid: boolean; definition: string }>(indexes);
    expect(rows.filter(({ name, valid }) => !valid || name.endsWith('_new'))).toEqual([]);
    const tables = [...new Set(rows.map(({ table }) => table))].filter((table) =>
      /^delivery(_open|_done.*)?$/.test(table),
    );
    expect(tables.length).toBeGreaterThan(6);
    for (const part of ['(application_id, id, ts)', '(hook_id, id, done) INCLUDE (state, event)']) {
      const having = rows.filter(({ definition }) => definition.endsWith(part)).map(({ table }) => table);
      expect(having).toEqual(tables);
    }
  });

  it('has the same result when it runs again after an interruption', async () => {
    const before = (await client.query(indexes)).rows;
    await client.query('delete from migration where name = $1', [madeUpName]);
    expect(await migrateMadeUp(database.url, {})).toEqual([madeUpName]);
    expect((await client.query(indexes)).rows).toEqual(before);
  });
});
