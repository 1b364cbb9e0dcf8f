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
