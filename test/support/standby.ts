import { type ChildProcess, spawnSync } from 'node:child_process';
import { appendFile, chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createLog } from '#common/log.js';
import { type Cluster, prepareCluster } from '#database/cluster.js';
import { findPostmaster } from '#database/postmaster.js';
import { prepareDatabase } from '#database/prepare.js';
import { startServer } from '#database/server.js';
import { ended } from './command.js';
import { until } from './until.js';

/** A PostgreSQL server of its own, which a test may stop and start. */
export interface OwnServer {
  /** Address of its database. Its port stays the same. */
  readonly url: string;
  query<Row extends object>(statement: string): Promise<Row[]>;
  start(): Promise<void>;
  /** Sends a signal: SIGQUIT ends the server at once, SIGSTOP and SIGCONT let all of its processes hang and go on. */
  signal(name: 'SIGQUIT' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
}

/** A migrated primary, and standbys that follow it. */
export interface Replication {
  readonly primary: OwnServer;
  readonly standbys: readonly OwnServer[];
  close(): Promise<void>;
}

const usual = { max_connections: '200', fsync: 'off', shared_buffers: '32MB' };

/** Opens a primary and a number of standbys, which are copies of its files while it runs. */
export async function openReplication(
  standbys = 1,
  settings: Readonly<Record<string, string>> = {},
): Promise<Replication> {
  const folder = await mkdtemp(join(tmpdir(), 'ddp-replication-'));
  // The servers run as another user if this one is root.
  await chmod(folder, 0o755);
  const log = createLog('fatal');
  const cluster = await prepareCluster(join(folder, 'primary'), log, false);
  const running = new Set<ChildProcess>();
  const given = { ...usual, ...settings };
  const close = async () => {
    await Promise.all(
      [...running].map((child) => {
        child.kill('SIGCONT');
        child.kill('SIGQUIT');
        return ended(child);
      }),
    );
    for (const path of [cluster.data, folder]) await rm(path, { recursive: true, force: true });
  };
  try {
    const primary = createServer(cluster, given, running);
    await primary.start();
    await prepareDatabase(primary.url, log);
    const copies: OwnServer[] = [];
    for (let number = 1; number <= standbys; number++) {
      copies.push(await startStandby(cluster, primary.url, join(folder, `standby${number}`), given, running));
    }
    return { primary, standbys: copies, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Starts a standby of a server on a copy of its data. It runs until it gets a signal.
 * @param running gets its process
 */
export async function startStandby(
  cluster: Cluster,
  primaryUrl: string,
  data: string,
  settings: Readonly<Record<string, string>>,
  running = new Set<ChildProcess>(),
): Promise<OwnServer> {
  const standby = createServer(await copyOf(cluster, primaryUrl, data), settings, running);
  await standby.start();
  return standby;
}

function createServer(
  cluster: Cluster,
  settings: Readonly<Record<string, string>>,
  running: Set<ChildProcess>,
): OwnServer {
  let child: ChildProcess | undefined;
  let port: number | undefined;
  const addressOf = (database: string) => `postgresql://ddp:${cluster.password}@127.0.0.1:${port}/${database}`;
  const query = async <Row extends object>(statement: string, database = 'ddp'): Promise<Row[]> => {
    const client = new pg.Client(addressOf(database));
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(statement)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    get url() {
      return addressOf('ddp');
    },
    query,
    async start() {
      child = await startServer(cluster, settings);
      running.add(child);
      await until(async () => {
        port = (await findPostmaster(cluster.data))?.port;
        return port !== undefined && (await query('select 1', 'postgres').then(Boolean, () => false));
      });
      const found = await query("select from pg_database where datname = 'ddp'", 'postgres');
      if (found.length === 0) await query('create database ddp', 'postgres');
    },
    async signal(name) {
      // Each process of the server is the leader of a session of its own.
      const pids = name === 'SIGQUIT' ? [] : childrenOf(child!.pid!);
      for (const pid of [child!.pid!, ...pids]) process.kill(pid, name);
      if (name !== 'SIGQUIT') return;
      await ended(child!);
      running.delete(child!);
    },
  };
}

const childrenOf = (pid: number): number[] =>
  spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)])
    .stdout.toString()
    .split('\n')
    .filter(Boolean)
    .map(Number);

/** Copies the files of a running server, as pg_basebackup does, for a standby that follows it. */
async function copyOf(cluster: Cluster, primaryUrl: string, data: string): Promise<Cluster> {
  const client = new pg.Client(primaryUrl);
  await client.connect();
  try {
    await client.query(`select pg_backup_start('standby', true)`);
    // `--archive` keeps the owners. Files may vanish meanwhile; the write-ahead log of the backup replaces them.
    spawnSync('cp', ['--archive', cluster.data, data]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await rm(join(data, 'postmaster.pid'), { force: true });
    for (const [name, text] of [
      ['backup_label', rows[0]!.labelfile],
      ['standby.signal', ''],
    ] as const) {
      await writeFile(join(data, name), text);
      if (cluster.user) await chown(join(data, name), cluster.user.uid, cluster.user.gid);
    }
  } finally {
    await client.end();
  }
  const { port, password } = new URL(primaryUrl);
  const conninfo = `host=127.0.0.1 port=${port} user=ddp password=${password} application_name=standby`;
  await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  return { ...cluster, data, logFile: `${data}.log` };
}
