import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { useDatabase } from '../support/database.js';
import { startTestService } from '../support/start-service.js';

const database = useDatabase();

const withClient = async <Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Counts the rows of each table. Every start makes the partitions that a new day needs. */
const counts = () =>
  withClient(async (client) => {
    const { rows } = await client.query<{ name: string; count: string }>(
      `select c.relname as name, (xpath('//n/text()', query_to_xml('select count(*) as n from ' || c.oid::regclass, true, true, '')))[1]::text as count
         from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
    );
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  });

const connections = () =>
  withClient(async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select distinct application_name as name from pg_stat_activity where datname = current_database()`,
    );
    return rows.map(({ name }) => name);
  });

describe('warm-up of the service', () => {
  it('opens the connections that calls need, and counts and stores nothing', async () => {
    const first = await startTestService(database.url);
    await first.close();
    const before = await counts();
    const service = await startTestService(database.url, { warm: 60_000 });
    expect(await connections()).toEqual(expect.arrayContaining(['ddp read', 'ddp store', 'ddp search']));
    const page = await (await fetch(`${service.url}/metrics`)).text();
    // One call may have been in flight when the warm-up ended.
    expect(page).not.toMatch(/^ddp_(http|ingest|search|graphql)\w*(_count|_total)(\{.*\})? ([2-9]|1\d)/m);
    await service.close();
    expect(await counts()).toEqual(before);
  });

  it('ends after its time limit when the database does not answer, and the service starts', async () => {
    await withClient(async (client) => {
      await client.query('begin; lock table device in access exclusive mode');
      const service = await startTestService(database.url, { warm: 100 });
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
      await client.query('rollback');
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
      await service.close();
    });
  });
});
