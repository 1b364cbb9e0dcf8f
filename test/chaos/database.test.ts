import { spawnSync } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { full, limit, report, startDay, timed } from './day.js';
import { embeddedAddress } from './embedded.js';

/** How long a fault lasts after it shows, in milliseconds. */
const lasting = full ? 20_000 : 3000;

/** Whether this user may mount. */
const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0 && process.getuid?.() === 0;

/** A small file system in memory. */
async function mountSmall(megabytes: number): Promise<{ folder: string; unmount(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'ddp-small-'));
  const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder];
  expect(spawnSync('mount', options).status).toBe(0);
  return {
    folder,
    async unmount() {
      spawnSync('umount', [folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
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

const expectRefusals = (statuses: Record<string, number>) =>
  expect(Object.keys(statuses).filter((status) => !['200', '503', '504'].includes(status))).toEqual([]);

describe('the disk of the database is full', () => {
  (mayMount ? it : it.skip)(
    'answers 503 meanwhile, and goes on by itself when there is room again',
    async () => {
      const disk = await mountSmall(320);
      const day = await startDay({ dataDir: disk.folder });
      await day.load.stored(20);
      const ballast = join(disk.folder, 'ballast');
      day.load.take();
      await fill(ballast);
      // The last pages of tables and of the log are still there to be written to.
      await day.load.answered('503');
      await pause(lasting);
      const { statuses, longest } = day.load.take();
      const reading = await day.call('GET', '/account').catch(() => undefined);
      await rm(ballast);
      const recovered = await timed(day.load.stored());
      await day.settle();
      await report({ fault: 'disk full', statuses, longest, reading: reading?.status, recovered });
      expectRefusals(statuses);
      await day.close();
      await disk.unmount();
    },
    240_000,
  );
});

describe('other programs take all connections of the database', () => {
  it(
    'goes on over those that it has, answers 503 where it needs another, and takes them when they are free',
    async () => {
      const day = await startDay();
      await day.load.stored();
      const address = await embeddedAddress(day.dataDir);
      const taken: pg.Client[] = [];
      for (;;) {
        const client = new pg.Client(address);
        client.on('error', () => undefined);
        try {
          await client.connect();
        } catch (error) {
          expect(error).toMatchObject({ code: '53300' });
          break;
        }
        taken.push(client);
      }
      // Connections that the service has are ended, so that it needs new ones, and has none.
      const [admin] = taken;
      await admin!.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'ddp%' and application_name <> 'ddp in use'`,
      );
      for (;;) {
        const client = new pg.Client(address);
        client.on('error', () => undefined);
        if (
          !(await client.connect().then(
            () => true,
            () => false,
          ))
        )
          break;
        taken.push(client);
      }
      day.load.take();
      await day.load.answered('503');
      await pause(lasting);
      const { statuses, longest } = day.load.take();
      await Promise.all(taken.map((client) => client.end()));
      const recovered = await timed(day.load.stored());
      await day.settle();
      await report({ fault: 'connections exhausted', taken: taken.length, statuses, longest, recovered });
      expectRefusals(statuses);
      await day.close();
    },
    limit,
  );
});
