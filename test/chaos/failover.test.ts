import { type ChildProcess, spawnSync } from 'node:child_process';
import { appendFile, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createLog } from '#common/log.js';
import { type Cluster, prepareCluster } from '#database/cluster.js';
import { createPool } from '#database/pools.js';
import { findPostmaster } from '#database/postmaster.js';
import { prepareDatabase } from '#database/prepare.js';
import { startServer } from '#database/server.js';
import { createFirstOrganization } from '#operator/first-organization.js';
import { ended } from '../support/command.js';
import { atEnd, expectRefusals, limit, report, startDay, timed, until, useEnds } from './day.js';

useEnds();

/** A running PostgreSQL server. */
interface Running {
  port: number;
  process: ChildProcess;
}

/** Starts a server on its data; resolves when it accepts connections. */
async function run(cluster: Cluster, settings: Record<string, string>): Promise<Running> {
  const child = await startServer(cluster, settings);
  atEnd(() => {
    child.kill('SIGQUIT');
    return ended(child);
  });
  let port: number | undefined;
  await until(async () => {
    port = (await findPostmaster(cluster.data))?.port;
    if (port === undefined) return false;
    await query(addressOf(cluster, port, 'postgres'), 'select 1');
    return true;
  });
  return { port: port!, process: child };
}

const addressOf = ({ password }: Cluster, port: number, database: string) =>
  `postgresql://ddp:${password}@127.0.0.1:${port}/${database}`;

async function query(address: string, text: string): Promise<unknown[]> {
  const client = new pg.Client(address);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Copies a stopped server's data to a standby that follows the server. */
async function copyOf(primary: Cluster, folder: string): Promise<Cluster> {
  const data = join(folder, 'standby');
  // Copies the owners too, since the server runs as another user when this user is root.
  expect(spawnSync('cp', ['--archive', primary.data, data]).status).toBe(0);
  await writeFile(join(data, 'standby.signal'), '');
  return { ...primary, data, logFile: join(folder, 'standby.log') };
}

describe('failover to a standby', () => {
  it(
    'continues with the promoted standby by DATABASE_URL alone, after the primary is killed',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'ddp-standby-'));
      await chmod(folder, 0o755);
      const log = createLog('fatal');
      const cluster = await prepareCluster(join(folder, 'primary'), log, false);
      atEnd(async () => {
        for (const data of [cluster.data, folder]) await rm(data, { recursive: true, force: true });
      });
      // Synchronous replication: a record that was acknowledged with 200 is on both servers.
      const settings = { max_connections: '200', synchronous_standby_names: 'standby' };
      const alone = await run(cluster, { max_connections: '200' });
      await query(addressOf(cluster, alone.port, 'postgres'), 'create database ddp');
      const pool = createPool(addressOf(cluster, alone.port, 'ddp'), { max: 1 });
      await prepareDatabase(addressOf(cluster, alone.port, 'ddp'), log);
      const first = (await createFirstOrganization(pool, new Date()))!;
      await pool.end();
      alone.process.kill('SIGINT');
      await ended(alone.process);

      const standbyCluster = await copyOf(cluster, folder);
      const primary = await run(cluster, settings);
      const conninfo = `host=127.0.0.1 port=${primary.port} user=ddp password=${cluster.password} application_name=standby`;
      await appendFile(join(standbyCluster.data, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
      const standby = await run(standbyCluster, { max_connections: '200' });
      const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
      const day = await startDay({
        settings: {
          DATABASE_URL: `postgresql://ddp:${cluster.password}@${hosts}/ddp?target_session_attrs=read-write`,
          SECRET_KEY: 'a key for this run',
          HOOK_ALLOW_CIDRS: '127.0.0.0/8',
        },
        first,
      });
      await day.load.stored(20);
      day.load.take();
      const pid = Number((await readFile(join(cluster.data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
      process.kill(pid, 'SIGQUIT');
      await ended(primary.process);
      await day.load.answered('503');
      const recovered = await timed(
        (async () => {
          await query(addressOf(cluster, standby.port, 'postgres'), 'select pg_promote()');
          await day.load.stored();
        })(),
      );
      const answers = day.load.take();
      await day.settle();
      await report({ fault: 'fail-over to a standby', ...answers, recovered });
      expectRefusals(answers, day);
    },
    limit,
  );
});
