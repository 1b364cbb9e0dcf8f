import { spawnSync } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { checkConnections } from '#operator/doctor/server.js';
import { itIf } from '../support/conditional.js';
import { atEnd, expectRefusals, full, limit, report, startDay, timed, until, useEnds } from './day.js';
import { embeddedAddress } from './embedded.js';

useEnds();

/** Duration of a fault after it shows, in milliseconds. */
const lasting = full ? 20_000 : 3000;

/** Whether this user may mount file systems. */
const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0 && process.getuid?.() === 0;

/** Mounts a small file system in memory until the test ends. */
async function mountSmall(megabytes: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ddp-small-'));
  const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder];
  expect(spawnSync('mount', options).status).toBe(0);
  atEnd(() => {
    spawnSync('umount', ['--lazy', folder]);
    return rm(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Writes a file until the file system is full. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  const chunk = Buffer.alloc(65_536);
  try {
    for (;;) await file.write(chunk);
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  } finally {
    await file.close();
  }
}

/** Opens a connection; returns undefined when the database has none left. */
async function connected(address: string): Promise<pg.Client | undefined> {
  const client = new pg.Client(address);
  client.on('error', () => undefined);
  return client.connect().then(
    () => client,
    (error: unknown) => {
      expect(error).toMatchObject({ code: '53300' });
      return undefined;
    },
  );
}

describe('database with a full disk', () => {
  itIf(mayMount, 'may not mount')(
    'returns 503 meanwhile, and stores records again when there is space',
    async () => {
      const dataDir = await mountSmall(320);
      const day = await startDay({ dataDir });
      await day.load.stored(20);
      const ballast = join(dataDir, 'ballast');
      day.load.take();
      await fill(ballast);
      // The last pages of tables and of the WAL can still be written until the first 503.
      await day.load.answered('503');
      await pause(lasting);
      const answers = day.load.take();
      const reading = await day.call('GET', '/account').catch(() => undefined);
      await rm(ballast);
      const recovered = await timed(day.load.stored());
      await day.settle();
      await report({ fault: 'disk full', ...answers, reading: reading?.status, recovered });
      expectRefusals(answers, day);
    },
    limit,
  );
});

describe('database without free connections', () => {
  it(
    'serves requests over open connections, returns 503 for others, and recovers when connections are free',
    async () => {
      const day = await startDay();
      await day.load.stored();
      const address = await embeddedAddress(day.dataDir);
      const taken: pg.Client[] = [];
      const takeAll = async () => {
        for (let client = await connected(address); client !== undefined; client = await connected(address))
          taken.push(client);
      };
      await takeAll();
      atEnd(() => Promise.all(taken.map((client) => client.end())));
      expect(await checkConnections(taken[0]!, new Date())).toMatchObject({ state: 'wrong' });
      day.load.take();
      let refused = false;
      void day.load.answered('503').then(
        () => (refused = true),
        () => undefined,
      );
      // Ends and takes over the service's connections, until a request needs one and finds none.
      await until(async () => {
        await taken[0]!.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'ddp%' and application_name <> 'ddp in use'`,
        );
        await takeAll();
        return refused;
      });
      await pause(lasting);
      const answers = day.load.take();
      await Promise.all(taken.map((client) => client.end()));
      const recovered = await timed(day.load.stored());
      await day.settle();
      await report({ fault: 'connections exhausted', taken: taken.length, ...answers, recovered });
      expectRefusals(answers, day);
    },
    limit,
  );
});
