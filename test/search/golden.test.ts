import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool, PoolClient, QueryConfig } from 'pg';
import { createPool } from '#database/pools.js';
import { useDatabase } from '../support/database.js';
import { allExamples, exampleWorld } from './example.js';
import { buildWorld, type World } from './world.js';

/**
 * The SQL that PostgreSQL runs for every example of docs/search.md and examples.md. The statements that every call sends
 * first, its scope, are in `scope*.sql`. `UPDATE_GOLDEN=1 npm test -- test/search/golden` writes the files again.
 */
const folder = new URL('../../../test/data/search/golden/', import.meta.url);
const isUpdate = process.env['UPDATE_GOLDEN'] === '1';
const examples = allExamples().filter(({ kind }) => kind === 'search');
const fileOf = (name: string, index: number) => {
  const same = examples.slice(0, index).filter((one) => one.name === name).length;
  return `${name}${same === 0 ? '' : `-${same + 1}`}.sql`;
};

const database = useDatabase();
let pool: Pool | undefined;
let world: World;
let sent: string[] = [];
let scopes: string[] = [];
const scopeFiles = ['scope.sql', 'scope-without-fields.sql'];
const scopeFileOf = ([scope]: readonly string[]) => scopeFiles[scope!.includes('as known') ? 0 : 1]!;
/** Matches the query for an application's devices and, when a query names fields, the fields of its products. */
const scopeQuery = /^\s*select \(select coalesce\(string_agg\(device_id::text/;

/** Matches the statements that every query sends before its own, or to fill in the devices of hits. */
const common =
  /^\s*(?:begin|rollback|savepoint|release|set |close|fetch|select set_config|select pg_export_snapshot|select device_id as id|select p\.id as|select path, keys|select id, serial|select id, organization_id|select (?:s\.|distinct )?product_id as "productId")/;

const record = (client: PoolClient) => {
  const query = client.query.bind(client) as (config: unknown, values?: unknown) => unknown;
  const recording = (config: string | QueryConfig, values?: unknown[]) => {
    const [text, given] = typeof config === 'string' ? [config, values] : [config.text, config.values];
    const statement = `${lines(text)}\n${(given ?? []).map(comment).join('')}`;
    if (scopeQuery.test(text)) scopes.push(statement);
    else if (!common.test(text)) sent.push(statement);
    return query(config, values);
  };
  client.query = recording as typeof client.query;
};

const lines = (text: string) =>
  text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<!epoch) (from|cross join|left join|join|where|group by|order by|limit|union all) /g, '\n$1 ');

/** Writes a parameter as a comment; identifiers become `uuid`, since they differ in every run. */
const comment = (value: unknown, index: number) =>
  `-- $${index + 1} = ${JSON.stringify(value).replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[1-9a-f][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'uuid')}\n`;

describe('golden SQL of docs/search.md', () => {
  beforeAll(async () => {
    // A pool of its own, so that no statements of a service are recorded.
    pool = createPool(database.url, { pipeline: true });
    world = await buildWorld(pool, exampleWorld);
    const known = new WeakSet<PoolClient>();
    pool.on('acquire', (client) => {
      if (!known.has(client)) record(client);
      known.add(client);
    });
    if (isUpdate) rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  });
  afterAll(async () => {
    sent = [];
    await pool?.end();
  });

  it.each(examples.map(({ name, text }, index) => ({ file: fileOf(name, index), text })))(
    'equals the statements that the example of $file sends',
    async ({ file, text }) => {
      [sent, scopes] = [[], []];
      expect(await world.ask(JSON.parse(text) as never)).toMatchObject({ status: 200 });
      const golden = `/* ${text} */\n${sent.map((statement) => `\n${statement}`).join('')}`;
      if (isUpdate) {
        writeFileSync(new URL(file, folder), golden);
        writeFileSync(new URL(scopeFileOf(scopes), folder), scopes.join('\n'));
      }
      expect(golden).toBe(readFileSync(new URL(file, folder), 'utf8'));
      expect(scopes).toEqual([readFileSync(new URL(scopeFileOf(scopes), folder), 'utf8')]);
    },
  );

  it('has one file for each example and no others', () => {
    const files = examples.map(({ name }, index) => fileOf(name, index));
    expect(readdirSync(folder).sort()).toEqual([...files, ...scopeFiles].sort());
  });
});
