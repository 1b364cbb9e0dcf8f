import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, rm, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The nodes of a real OpenSearch cluster on loopback, numbered from 1. */
export interface Nodes {
  /** Addresses, separated by commas. */
  readonly url: string;
  readonly count: number;
  /** The number of the current manager node. */
  manager(): Promise<number>;
  /** Kills a node with SIGKILL; resolves when the process is gone. */
  kill(node: number): Promise<void>;
  /** Starts a node again on its data; resolves when it has joined the cluster. */
  start(node: number): Promise<void>;
  /** Pauses a node with SIGSTOP. `resume` continues it. */
  pause(node: number): Promise<void>;
  resume(node: number): Promise<void>;
  /**
   * Fills the disk of the last node; resolves when OpenSearch has stopped writing. The returned function frees the
   * space. Without the right to mount a small disk, settings make all disks count as full.
   */
  fill(): Promise<() => Promise<void>>;
  /** Whether OpenSearch refuses writes because a disk is full. */
  isBlocked(): Promise<boolean>;
  /** Resolves when every shard copy is in place and flushed to disk. */
  green(): Promise<void>;
  close(): Promise<void>;
}

/** Size of the last node's disk in bytes. */
const diskSize = 512 * 2 ** 20;

/** Free bytes below which a node stops writing. */
const leastRoom = 100 * 2 ** 20;

/** Returns settings with which the cluster checks its disks as often as possible. */
const roomLeft = (bytes: number) => ({
  persistent: {
    'cluster.info.update.interval': '10s',
    'cluster.routing.allocation.disk': {
      threshold_enabled: true,
      watermark: { low: `${bytes}b`, high: `${bytes}b`, flood_stage: `${bytes}b` },
    },
  },
});

/** Writes to a file until the disk has only `leave` bytes free, or none. */
const fillUp = async (path: string, leave: number): Promise<void> => {
  const file = await open(path, 'a');
  const part = Buffer.alloc(2 ** 20);
  try {
    for (;;) {
      const { bavail, bsize } = await statfs(path);
      if (leave > 0 && bavail * bsize <= leave) return;
      await file.write(part);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
};

/** Starts a cluster with the script `cluster.sh` of a folder (see docs/testing.md). */
export const startNodes = async (home: string, count: number): Promise<Nodes> => {
  const folder = await mkdtemp(join(tmpdir(), 'ddp-nodes-'));
  const [http, transport] = [await freePorts(count), await freePorts(count)];
  const env = {
    ...process.env,
    DIR: folder,
    HTTP: `${http - 1}`,
    TRANSPORT: `${transport - 1}`,
    OS_HEAP: process.env['OS_HEAP'] ?? '384m',
  };
  const script = async (...args: string[]) => {
    await run('bash', [join(home, 'cluster.sh'), ...args], { env, timeout: 180_000 });
  };
  const disk = join(folder, `n${count}`, 'data');
  const hasDisk = await mounted(disk);
  await script('start', `${count}`);
  const addresses = Array.from({ length: count }, (_, index) => `http://127.0.0.1:${http + index}`);
  const pidOf = async (node: number) => Number(await readFile(join(folder, `n${node}`, 'pid'), 'utf8'));
  const signal = async (node: number, name: NodeJS.Signals) => {
    process.kill(await pidOf(node), name);
  };
  /** Returns the answer of the first node that answers. */
  const first = (path: string, options: RequestInit = {}): Promise<unknown> =>
    Promise.any(
      addresses.map(async (address) => {
        const response = await fetch(address + path, { signal: timeout(70), ...options });
        if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
        return response.json();
      }),
    );
  const put = (path: string, body: object) =>
    first(path, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const isBlocked = async () => {
    const indices = (await first('/_all/_settings/index.blocks.*')) as Record<string, object>;
    return Object.keys(indices).length > 0;
  };
  await put('/_cluster/settings', roomLeft(leastRoom));
  return {
    url: addresses.join(','),
    count,
    async manager() {
      const [{ node }] = (await first('/_cat/cluster_manager?format=json')) as [{ node: string }];
      return Number(node.slice(1));
    },
    async kill(node) {
      const pid = await pidOf(node);
      process.kill(pid, 'SIGKILL');
      // The script starts no node while its process still exists.
      while (isAlive(pid)) await pause(50);
    },
    start: (node) => script('up', `${node}`),
    pause: (node) => signal(node, 'SIGSTOP'),
    resume: (node) => signal(node, 'SIGCONT'),
    async fill() {
      const filler = join(disk, 'filler');
      // Fills the disk first up to the limit at which OpenSearch stops writing, then completely.
      await (hasDisk ? fillUp(filler, leastRoom / 2) : put('/_cluster/settings', roomLeft(1e15)));
      while (!(await isBlocked())) await pause(500);
      if (hasDisk) await fillUp(filler, 0);
      return async () => {
        await (hasDisk ? rm(filler) : put('/_cluster/settings', roomLeft(leastRoom)));
        // Shard copies that failed several times are only retried on request.
        await first('/_cluster/reroute?retry_failed=true', { method: 'POST' });
      };
    },
    isBlocked,
    async green() {
      const path = '/_cluster/health?wait_for_status=green&wait_for_no_relocating_shards=true&timeout=60s';
      for (;;) {
        const { status } = (await first(path).catch(() => ({}))) as { status?: string };
        if (status === 'green') break;
      }
      // After a flush, a killed node has less to replay.
      await first('/_flush', { method: 'POST' });
    },
    async close() {
      await script('stop');
      if (hasDisk) await run('umount', [disk]);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const timeout = (seconds: number) => AbortSignal.timeout(seconds * 1000);

/** Mounts a small disk at a folder. Returns false if the user may not mount disks. */
const mounted = async (folder: string): Promise<boolean> => {
  await mkdir(folder, { recursive: true });
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${diskSize}`, 'tmpfs', folder]);
    return true;
  } catch {
    return false;
  }
};

/** Returns the first of `count` consecutive free ports. */
const freePorts = async (count: number): Promise<number> => {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isFree(first + index)));
    if (free.every(Boolean)) return first;
  }
};

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
