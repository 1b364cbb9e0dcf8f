import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stdout } from 'node:process';
import pg from 'pg';
import { createLog } from '#common/log.js';
import { openEmbedded } from '#database/embedded.js';
import { prepareDatabase } from '#database/prepare.js';
import { deliver, fillTables, migrateMadeUp } from '../test/upgrade/made-up.js';
import { timed } from './figures.js';

/**
 * Applies a made-up online migration to a database with many records and deliveries (first argument, a million of each
 * by default). Meanwhile, other sessions store records and settle deliveries. Reports how long these took at most.
 */
export async function run([count = '1000000']: readonly string[]): Promise<void> {
  const size = Number(count);
  const folder = await mkdtemp(join(tmpdir(), 'ddp-upgrade-'));
  await chmod(folder, 0o777);
  const server = await openEmbedded({ dataDir: join(folder, 'data'), log: createLog('warn'), durable: true });
  try {
    const connect = async () => {
      const client = new pg.Client({ connectionString: server.connectionString });
      await client.connect();
      return client;
    };
    await prepareDatabase(server.connectionString, createLog('warn'));
    const client = await connect();
    const filled = await timed(() => fillTables(client, { devices: 10_000, records: size, deliveries: size }));
    stdout.write(`${size.toLocaleString('en')} records and deliveries made in ${seconds(filled)}.\n`);
    let over = false;
    const others = [deliver, storeRecord].map(async (work) => {
      const own = await connect();
      const took: number[] = [];
      while (!over) took.push(await timed(() => work(own)));
      await own.end();
      return took.toSorted((a, b) => a - b);
    });
    const upgraded = await timed(() => migrateMadeUp(server.connectionString, { log: createLog('info') }));
    over = true;
    const [settling = [], storing = []] = await Promise.all(others);
    await client.end();
    stdout.write(`Migrated in ${seconds(upgraded)}. Meanwhile:\n`);
    stdout.write(`  a delivery stored, claimed and settled   ${figures(settling)}\n`);
    stdout.write(`  a record stored                          ${figures(storing)}\n`);
  } finally {
    await server.close();
    for (const each of [server.data, folder]) await rm(each, { recursive: true, force: true });
  }
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

const figures = (took: readonly number[]): string =>
  `${took.length} times; median ${Math.round(took[Math.floor(took.length / 2)] ?? 0)} ms, longest ${Math.round(took.at(-1) ?? 0)} ms`;

/** Stores a record of a device that keeps the device's row from being deleted meanwhile. */
async function storeRecord(client: pg.Client): Promise<void> {
  await client.query(
    `insert into record (id, organization_id, device_id, ts, metadata, data)
       select gen_random_uuid(), organization_id, id, now(), '{}', '{"level":1}' from device limit 1 for key share`,
  );
}
