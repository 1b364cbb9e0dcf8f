import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The nodes of a real OpenSearch cluster on loopback, numbered from 1. */
export interface Nodes {
  /** Addresses, separated by commas. */
  readonly url: string;
  readonly count: number;
  /** The one that manages the cluster now. */
  manager(): Promise<number>;
  /** Ends a node as `kill -9` does. */
  kill(node: number): Promise<void>;
  /** Starts a node again over its own data; resolves when it has joined. */
  start(node: number): Promise<void>;
  /** Stops a node in the middle of whatever it does (SIGSTOP), and lets it go on. */
  pause(node: number): Promise<void>;
  resume(node: number): Promise<void>;
  /** Leaves no room on the disk of the last node; what it answers makes room again. Undefined: its disk is not one to be filled. */
  readonly fill: (() => Promise<() => Promise<void>>) | undefined;
  /** Resolves when every copy of every record is where it is to be. */
  green(): Promise<void>;
  close(): Promise<void>;
}

/** Bytes of the disk of the last node. */
const diskSize = 512 * 2 ** 20;

/** Starts a cluster by the script `cluster.sh` of a folder (CONTRIBUTING.md says what it must do). */
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
  const signal = async (node: number, name: NodeJS.Signals) => {
    process.kill(Number(await readFile(join(folder, `n${node}`, 'pid'), 'utf8')), name);
  };
  /** What the first node that answers says. */
  const get = async (path: string): Promise<unknown> => {
    const asking = addresses.map(async (address) => (await fetch(address + path, { signal: timeout(70) })).json());
    return Promise.any(asking);
  };
  return {
    url: addresses.join(','),
    count,
    async manager() {
      const [{ node }] = (await get('/_cat/cluster_manager?format=json')) as [{ node: string }];
      return Number(node.slice(1));
    },
    kill: (node) => signal(node, 'SIGKILL'),
    start: (node) => script('up', `${node}`),
    pause: (node) => signal(node, 'SIGSTOP'),
    resume: (node) => signal(node, 'SIGCONT'),
    fill: hasDisk
      ? async () => {
          const filler = join(disk, 'filler');
          const { bavail, bsize } = await statfs(disk);
          await writeFile(filler, Buffer.alloc(bavail * bsize)).catch(() => undefined);
          return async () => {
            await rm(filler);
            await Promise.any(
              addresses.map((address) => fetch(`${address}/_cluster/reroute?retry_failed=true`, { method: 'POST' })),
            );
          };
        }
      : undefined,
    async green() {
      const path = '/_cluster/health?wait_for_status=green&wait_for_no_relocating_shards=true&timeout=60s';
      for (;;) {
        const { status } = (await get(path).catch(() => ({}))) as { status?: string };
        if (status === 'green') return;
      }
    },
    async close() {
      await script('stop');
      if (hasDisk) await run('umount', [disk]);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const timeout = (seconds: number) => AbortSignal.timeout(seconds * 1000);

/** Whether a small disk could be put at a folder. Only a system's administrator may. */
const mounted = async (folder: string): Promise<boolean> => {
  await mkdir(folder, { recursive: true });
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${diskSize}`, 'tmpfs', folder]);
    return true;
  } catch {
    return false;
  }
};

/** The first of so many ports after one another that are free. */
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
