import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { timed } from './figures.js';

const program = fileURLToPath(new URL('../src/main.js', import.meta.url));
const mebibyte = 2 ** 20;
/** Number of records per call, and number of concurrent calls. */
const [batch, atOnce] = [10, 4];
const quarters = 96;

/**
 * Runs `ddp serve` with its embedded PostgreSQL in a control group of little memory, and simulates a day: each device
 * sends a record per quarter of an hour, as fast as the service accepts them, and the bench reads a dashboard after
 * each quarter. Prints the idle and the peak memory of both. `--devices N` (1000), `--limit MIB` (512; 0 is none),
 * `--flags F` for Node.js (`--max-semi-space-size=4`). Linux, as root.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      devices: { type: 'string', default: '1000' },
      limit: { type: 'string', default: '512' },
      flags: { type: 'string', default: '' },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), 'ddp-memory-'));
  await chmod(folder, 0o755);
  const group = openGroup(Number(values.limit) * mebibyte);
  const service = spawn(
    '/bin/sh',
    ['-c', `${group.join} exec "$0" "$@"`, process.execPath, program, 'serve', '--json'],
    {
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        DATA_DIR: join(folder, 'data'),
        RATE_LIMIT: '0',
        LOG_LEVEL: 'warn',
        WORKERS: '1',
        NODE_OPTIONS: values.flags,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = once(service, 'exit');
  const seen = { service: 0, database: 0, group: 0 };
  const watching = setInterval(() => {
    const now = memoryOf(service.pid!, folder);
    seen.service = Math.max(seen.service, now.service);
    seen.database = Math.max(seen.database, now.database);
    seen.group = Math.max(seen.group, now.service + now.database);
  }, 500);
  try {
    const [line] = await Promise.race([once(service.stdout, 'data') as Promise<[Buffer]>, ended.then(died)]);
    const {
      url,
      token,
      id: organizationId,
    } = JSON.parse(line.toString()) as { url: string; token: string; id: string };
    await pause(10_000);
    print('idle', memoryOf(service.pid!, folder));
    const took = await Promise.race([live({ url, token, organizationId }, Number(values.devices)), ended.then(died)]);
    stdout.write(
      `  a day of ${values.devices} devices in ${took.seconds.toFixed(0)} s, ${took.failed} answers not 200, 99 % of the dashboards within ${took.slow.toFixed(0)} ms\n`,
    );
    print('after the day', memoryOf(service.pid!, folder));
    print('at most', { service: seen.service, database: seen.database });
    stdout.write(
      `  both at once at most ${Math.round(seen.group / mebibyte)} MiB; the limit of ${values.limit} MiB was reached ${group.reached()} times\n`,
    );
  } finally {
    clearInterval(watching);
    service.kill('SIGTERM');
    await ended;
    group.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Started {
  url: string;
  token: string;
  organizationId: string;
}

const died = (): never => {
  throw new Error('The service ended: it has too little memory.');
};

const print = (when: string, { service, database }: { service: number; database: number }) =>
  stdout.write(
    `  ${when.padEnd(16)} service ${Math.round(service / mebibyte)} MiB, PostgreSQL ${Math.round(database / mebibyte)} MiB\n`,
  );

/** A control group that limits the memory of its processes. */
interface Group {
  /** Command that moves a shell into the group. */
  join: string;
  reached(): number;
  close(): void;
}

const openGroup = (bytes: number): Group => {
  if (bytes === 0) return { join: '', reached: () => 0, close: () => undefined };
  const root = '/sys/fs/cgroup';
  const isFirst = existsSync(`${root}/memory/memory.limit_in_bytes`);
  const folder = `${root}${isFirst ? '/memory' : ''}/ddp-bench-${process.pid}`;
  mkdirSync(folder);
  writeFileSync(`${folder}/${isFirst ? 'memory.limit_in_bytes' : 'memory.max'}`, String(bytes));
  const events = () => readFileSync(`${folder}/${isFirst ? 'memory.failcnt' : 'memory.events'}`, 'utf8');
  return {
    join: `echo $$ > ${folder}/cgroup.procs;`,
    reached: () => Number((isFirst ? events() : /^max (\d+)/m.exec(events())?.[1]) ?? 0),
    close: () => rmdirSync(folder),
  };
};

/**
 * Returns the memory of the service and of the PostgreSQL below a folder, in bytes. Memory that processes share is
 * counted once.
 */
const memoryOf = (pid: number, folder: string): { service: number; database: number } => {
  const share = (of: number): number => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${of}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1024;
    } catch {
      return 0;
    }
  };
  const postmaster = Number(spawnSync('head', ['-n1', postmasterFile(folder)]).stdout.toString());
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster);
  return {
    service: share(pid),
    database: [postmaster, ...children.map(Number)].reduce((sum, of) => sum + share(of), 0),
  };
};

const postmasterFile = (folder: string): string => {
  try {
    return join(readFileSync(join(folder, 'data/postgres.path'), 'utf8').trim(), 'postmaster.pid');
  } catch {
    return '/dev/null';
  }
};

const parentOf = (pid: string): number => {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
};

/** Lets devices send for a day, and reads a dashboard every quarter-hour. */
const live = async ({ url, token, organizationId }: Started, devices: number) => {
  const client = new Pool(url);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  let failed = 0;
  const post = async (path: string, body: unknown): Promise<string> => {
    const answer = await client.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 || text.includes('"errors":[{"message')) failed += 1;
    return text;
  };
  const serials = Array.from({ length: devices }, (_, index) => (0xd0000000 + index).toString(16));
  const o = organizationId;
  const made = await post(`/ddp/v1/organizations/${o}/applications`, { name: 'Day' });
  const { id } = JSON.parse(made) as { id: string };
  const query = `mutation ($o: ID!, $devices: [DeviceInput!]!, $linkTo: [ID!]) {
    putDevices(organizationId: $o, devices: $devices, linkTo: $linkTo) { failed } }`;
  for (let from = 0; from < devices; from += 500)
    await post('/graphql', {
      query,
      variables: { o, linkTo: [id], devices: serials.slice(from, from + 500).map((serial) => ({ serial })) },
    });
  const begin = Date.now() / 1000 - 86_400;
  const times: number[] = [];
  const seconds =
    (await timed(async () => {
      for (let quarter = 0; quarter < quarters; quarter++) {
        const ts = begin + quarter * 900;
        let next = 0;
        const send = async () => {
          while (next < devices) {
            const some = serials.slice(next, (next += batch));
            const items = some.map((serial, index) => ({
              serial,
              ts: ts + index,
              data: { temperature: 20 + (quarter % 10), humidity: 40 + (index % 50), status: 'ok' },
            }));
            await post(`/ddp/v1/organizations/${o}/records`, items);
          }
        };
        await Promise.all(Array.from({ length: atOnce }, send));
        times.push(await timed(() => post(`/ddp/v1/applications/${o}/${id}/search`, dashboard(begin, ts + 900))));
      }
    })) / 1000;
  await client.close();
  return { seconds, failed, slow: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]! };
};

const dashboard = (gte: number, lte: number) => ({
  ts: { gte, lte },
  queries: [
    { products: [], size: 10, sort: [{ ts: 'desc' }] },
    {
      products: [],
      size: 0,
      aggs: {
        h: {
          date_histogram: { field: 'ts', fixed_interval: '1h' },
          aggs: { t: { avg: { field: 'data.temperature' } } },
        },
      },
    },
  ],
});
