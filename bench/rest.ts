<<<<<<< HEAD
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { type Row, report } from './figures.js';
import { openStage, type Stage } from './stage.js';

const connections = 32;
const rounds = 5;
const devices = 1000;

interface Call {
  method: 'GET' | 'POST';
  path: () => string;
  body?: string;
}

/** GET a device, list ten, create a team: ours with authentication and permission, against two bare handlers without. */
export const run = async ([seconds = '2']: readonly string[]): Promise<void> => {
  const stage = await openStage();
  const [bare, pipelined] = await Promise.all([openBare(stage, 'pool'), openBare(stage, 'pipelined')]);
  try {
    const ids = await fill(stage);
    const { organizationId: org } = stage;
    const some = () => ids[Math.floor(Math.random() * ids.length)]!;
    const body = JSON.stringify({ name: 'Field Ops' });
    const ours = new URL(stage.base).pathname;
    const works: [title: string, ours: Call, bare: Call][] = [
      ['GET device', get(() => `${ours}/devices/${org}/${some()}`), get(() => `/${org}/${some()}`)],
      ['list of 10 devices', get(() => `${ours}/organizations/${org}/devices`), get(() => `/${org}`)],
      ['create team', post(() => `${ours}/organizations/${org}/teams`, body), post(() => `/${org}`, body)],
    ];
    for (const [title, own, other] of works) {
      const sides = [
        { name: 'bare node:http + pg.Pool(10)', origin: bare.origin, call: other },
        { name: 'bare, one pipelined connection', origin: pipelined.origin, call: other },
        { name: 'ours', origin: new URL(stage.base).origin, call: own },
      ].map((side) => ({ ...side, figures: [] as number[] }));
      for (let round = 0; round <= rounds; round += 1) {
        for (const { origin, call, figures } of sides) {
          const rate = await load(origin, call, stage.token, round === 0 ? 1 : Number(seconds));
          if (round > 0) figures.push(rate);
        }
      }
      const against: Row[] = sides.map(({ name, figures }) => ({ name, figures }));
      report(`${title}, ${connections} connections`, 'req/s', [
        against[0]!,
        { ...against[1]!, against: against[0]! },
        { ...against[2]!, against: against[0]! },
        { ...against[2]!, against: against[1]! },
      ]);
    }
  } finally {
    bare.process.kill();
    pipelined.process.kill();
    await stage.close();
  }
};

const get = (path: () => string): Call => ({ method: 'GET', path });
const post = (path: () => string, body: string): Call => ({ method: 'POST', path, body });

const fill = async ({ pool, organizationId }: Stage): Promise<string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `with p as (insert into product (id, organization_id, name, slug, version, public, variables, created_at, updated_at)
                values (gen_random_uuid(), $1, 'P', 'p', '1', false, '[]', now(), now()) returning id)
     insert into device (id, organization_id, serial, name, slug, tags, product_id, created_at, updated_at)
     select gen_random_uuid(), $1, lpad(to_hex(n), 8, '0'), 'Device ' || n, 'device-' || n, '{north}', p.id, now(), now()
       from generate_series(1, $2::int) n, p returning id`,
    [organizationId, devices],
  );
  await pool.query('vacuum analyze');
  return rows.map(({ id }) => id);
};

/** Requests a second over kept connections; every answer is read whole. */
const load = async (origin: string, { method, path, body }: Call, token: string, seconds: number): Promise<number> => {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const begun = performance.now();
  const until = begun + seconds * 1000;
  let count = 0;
  const worker = async () => {
    while (performance.now() < until) {
      const answer = await pool.request({ method, path: path(), headers, ...(body && { body }) });
      await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`${method} answered ${answer.statusCode}.`);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const rate = (count * 1000) / (performance.now() - begun);
  await pool.close();
  return rate;
};

const openBare = async (stage: Stage, kind: string): Promise<{ origin: string; process: ChildProcess }> => {
  const program = fileURLToPath(new URL('./bare.js', import.meta.url));
  const child = spawn(process.execPath, [program, stage.connectionString, kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  return { origin: `http://127.0.0.1:${port}`, process: child };
};
=======
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { type Row, report } from './figures.js';
import { furnish } from './fleet.js';
import { openStage, type Stage } from './stage.js';

const connections = 32;
const seconds = 2;

interface Load {
  name: string;
  origin: string;
  path: string;
  token?: string;
  body?: string;
}

/**
 * REST with authentication, permission and checks, against bare `node:http` and `pg`, in turn. `--rounds N` repeats (5).
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { rounds: { type: 'string', default: '5' } } });
  const stage = await openStage();
  const bare = await startBare(stage, 'pool');
  const pipelined = await startBare(stage, 'pipelined');
  try {
    for (const { title, loads } of await comparisons(stage, bare.origin, pipelined.origin)) {
      const rows: Row[] = loads.map(({ name }) => ({ name, figures: [] }));
      for (const row of rows.slice(1)) row.against = rows[0]!;
      for (const load of loads) await requestsPerSecond(load);
      for (let round = 0; round < Number(values.rounds); round++) {
        for (const [i, load] of loads.entries()) rows[i]!.figures.push(await requestsPerSecond(load));
      }
      report(title, 'req/s', rows);
    }
  } finally {
    bare.stop();
    pipelined.stop();
    await stage.close();
  }
}

async function comparisons(stage: Stage, bare: string, pipelined: string): Promise<{ title: string; loads: Load[] }[]> {
  await furnish(stage, 50);
  const { organizationId: id, token } = stage;
  const { rows } = await stage.pool.query<{ id: string }>('select id from device order by id limit 1');
  const deviceId = rows[0]!.id;
  const { origin, pathname } = new URL(stage.base);
  const body = JSON.stringify({ name: 'Field Ops' });
  const compare = (title: string, path: string, barePath: string, extras: { body?: string } = {}) => ({
    title,
    loads: [
      { name: 'bare, pool of 10', origin: bare, path: barePath, ...extras },
      { name: 'bare, one pipelined connection', origin: pipelined, path: barePath, ...extras },
      { name: 'this service', origin, path: `${pathname}${path}`, token, ...extras },
    ],
  });
  return [
    compare('GET device', `/devices/${id}/${deviceId}`, `/device/${deviceId}`),
    compare('list of 10 devices', `/organizations/${id}/devices`, `/devices/${id}`),
    compare('create team', `/organizations/${id}/teams`, `/team/${id}`, { body }),
  ];
}

async function requestsPerSecond({ origin, path, token, body }: Load): Promise<number> {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const until = performance.now() + seconds * 1000;
  let answers = 0;
  const client = async () => {
    while (performance.now() < until) {
      const response = await pool.request({
        method: body === undefined ? 'GET' : 'POST',
        path,
        headers,
        body: body ?? null,
      });
      if (response.statusCode !== 200)
        throw new Error(`${path} answered ${response.statusCode}: ${await response.body.text()}`);
      await response.body.dump();
      answers++;
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: connections }, client));
  const rate = answers / ((performance.now() - begun) / 1000);
  await pool.close();
  return rate;
}

async function startBare(stage: Stage, kind: 'pool' | 'pipelined'): Promise<{ origin: string; stop(): void }> {
  const program = fileURLToPath(new URL('./bare-rest.js', import.meta.url));
  const server = spawn(process.execPath, [program, stage.connectionString, kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  return { origin: `http://127.0.0.1:${port}`, stop: () => void server.kill() };
}
>>>>>>> 064d73b (Bench REST against bare node:http and pg)
