import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { createBackup } from '#backup/backup.js';
import { restoreBackup } from '#backup/restore.js';
import { dayMs } from '#common/time.js';
import { openMigrations } from '#database/migrations.js';
import { retire } from '#records/postgres/upkeep/retention.js';
import { buildVersion } from '../src/runtime/version.js';
import { timed } from './figures.js';
import { spentBy } from './processor.js';
import type { SearchWorld } from './search-world.js';

/**
 * Measures the retention that drops the first thirty of the world's days, and then one day more, as each further day
 * does. The world lacks these days afterwards.
 */
export const reportRetention = async (world: SearchWorld): Promise<void> => {
  const { stage, until } = world;
  await stage.pool.query(`insert into record_retention (organization_id, keep) values ($1, interval '60 days')`, [
    stage.organizationId,
  ]);
  for (const [what, now] of [
    ['a month', until],
    ['one day more', until + dayMs],
  ] as const)
    await measured(world, `retention: ${what}`, async () => {
      const { records, partitions } = await retire(stage.pool, new Date(now), () => false);
      return `${partitions} partitions, ${records.toLocaleString('en')} records of others`;
    });
};

/** Measures a backup of the world, and with `restores` its restore into another database of the server. Keeps neither. */
export const reportBackup = async (world: SearchWorld, restores: boolean): Promise<void> => {
  const { stage } = world;
  const path = join(stage.folder, 'world.backup');
  await rm(path, { force: true });
  try {
    await measured(world, 'backup', async () => {
      await createBackup({ connectionString: stage.connectionString, path, version: buildVersion, now: new Date() });
      return `${((await stat(path)).size / 2 ** 20).toFixed(0)} MiB`;
    });
    if (restores) await reportRestore(world, path);
  } finally {
    await rm(path, { force: true });
  }
};

const reportRestore = async (world: SearchWorld, path: string): Promise<void> => {
  const { stage } = world;
  const restored = new URL(stage.connectionString);
  restored.pathname = '/restored';
  await stage.pool.query('drop database if exists restored');
  await stage.pool.query('create database restored');
  const migrations = await openMigrations(restored.href);
  try {
    await measured(world, 'restore', async () => {
      const { rows } = await restoreBackup({
        connectionString: restored.href,
        path,
        migrations: migrations.names,
        migrationsFor: migrations.forBackup,
        migrate: migrations.apply,
      });
      return `${rows.toLocaleString('en')} rows`;
    });
  } finally {
    await migrations.close();
    await stage.pool.query('drop database restored with (force)');
  }
};

/** Prints the time of work, and the processor time of this process and PostgreSQL. */
const measured = async ({ stage }: SearchWorld, name: string, work: () => Promise<string>): Promise<void> => {
  let result = '';
  const [before, own] = [await spentBy(stage), process.cpuUsage()];
  const took = await timed(async () => (result = await work()));
  const [after, { user, system }] = [await spentBy(stage), process.cpuUsage(own)];
  const seconds = (microseconds: number) => (microseconds / 1e6).toFixed(1).padStart(7);
  stdout.write(
    `\n${name}\n  ${seconds(took * 1000)} s   processor time ${seconds(user + system)} s of the program, ${seconds(after.database - before.database)} s of PostgreSQL   ${result}\n`,
  );
};
