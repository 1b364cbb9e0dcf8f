import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { type Row, report } from './figures.js';
import { type BenchFleet, furnish, nextItem } from './fleet.js';
import { compareDerived } from './ingest-derived.js';
import { type Spent, spentBy } from './processor.js';
import { resident } from './resident.js';
import { startRival } from './rival.js';
import { openStage, type Stage } from './stage.js';
import { storeMillions } from './store-millions.js';

const devices = 200;
const batchSize = 1000;
const batches = 100;
const batchClients = 4;
const singleClients = 64;
const singleSeconds = 4;

/**
 * Compares ingestion over HTTP with a server-side COPY of the same rows into the same table, with fsync on, and single
 * posts with a bare server that commits each request.
 * `--rounds N` repeats (5), `--singles` measures single posts only. `--rows N` compares batches into a table of N
 * stored records with batches into an empty table instead; `--kept FOLDER` keeps those records for the next run, and
 * `--prepare` only creates them. `--derived` and `--counters` compare products with formulas and with counters with a
 * product that has neither.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: 'string', default: '0' },
      rounds: { type: 'string', default: '5' },
      kept: { type: 'string' },
      prepare: { type: 'boolean', default: false },
      singles: { type: 'boolean', default: false },
      derived: { type: 'boolean', default: false },
      counters: { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (values.derived || values.counters) return compareDerived(rounds, values);
  if (values.rows !== '0') return compareWithEmpty(Number(values.rows), { ...values, rounds });
  const stage = await openStage();
  try {
    const fleet = await furnish(stage, devices);
    const copy: Row = { name: 'COPY by the server', figures: [] };
    const posted: Row = { name: `POST of ${batchSize}, ${batchClients} clients`, figures: [], against: copy };
    const searched: Row = { name: 'the same while searches run', figures: [], against: posted };
    const bare: Row = { name: 'one commit a request, bare server', figures: [] };
    const single: Row = { name: `POST of one, ${singleClients} clients`, figures: [], against: bare };
    for (let round = 0; round < rounds; round++) {
      if (!values.singles) {
        posted.figures.push(await postBatches(stage, fleet));
        copy.figures.push(await copyRows(stage));
        searched.figures.push(await whileSearching(stage, fleet, () => postBatches(stage, fleet)));
      }
      single.figures.push(await postSingles(new URL(stage.base).origin, stage, fleet));
      bare.figures.push(await besideBareServer(stage, fleet));
      stdout.write('.');
    }
    if (!values.singles) report('Batches', 'records/s', [copy, posted, searched]);
    report('Single posts', 'requests/s', [bare, single]);
    const spent: Record<string, Spent> = {
      'a record in batches': await spentOn(stage, () => postBatches(stage, fleet)),
      'a single post': await spentOn(stage, () => postSingles(new URL(stage.base).origin, stage, fleet)),
    };
    for (const [what, { service, database }] of Object.entries(spent))
      stdout.write(
        `\nProcessor time of ${what}: service ${service.toFixed(1)} us, PostgreSQL ${database.toFixed(1)} us`,
      );
    await reportMemory(stage, fleet);
  } finally {
    await stage.close();
  }
}

/** Compares batches into a table with many stored records and into an empty table, in turn. */
const compareWithEmpty = async (
  rows: number,
  { rounds, kept, prepare }: { rounds: number; kept?: string; prepare: boolean },
): Promise<void> => {
  const full = await openStage({}, kept);
  try {
    const { rows: found } = await full.pool.query<{ serial: string }>('select serial from device order by serial');
    const serials = found.map(({ serial }) => serial);
    const fleet = serials.length > 0 ? { serials } : await furnish(full, devices);
    await storeMillions(full, rows, Date.now());
    if (prepare) return;
    const empty = await openStage();
    try {
      const emptyFleet = await furnish(empty, devices);
      const before: Row = { name: 'POST of 1000 into an empty table', figures: [] };
      const after: Row = { name: `the same into ${rows.toLocaleString('en')} records`, figures: [], against: before };
      for (let round = 0; round < rounds; round++) {
        before.figures.push(await postBatches(empty, emptyFleet));
        after.figures.push(await postBatches(full, fleet));
        stdout.write('.');
      }
      report('Batches', 'records/s', [before, after]);
    } finally {
      await empty.close();
    }
  } finally {
    await full.close();
  }
};

/** Returns the processor time per record that work took. */
const spentOn = async (stage: Stage, work: () => Promise<number>): Promise<Spent> => {
  const count = async () => {
    const { rows } = await stage.pool.query<{ n: number }>('select last_value::float8 as n from record_seq');
    return rows[0]!.n;
  };
  const [before, first] = [await spentBy(stage), await count()];
  await work();
  const [after, last] = [await spentBy(stage), await count()];
  const each = (of: keyof Spent) => (after[of] - before[of]) / (last - first);
  return { service: each('service'), database: each('database') };
};

const recordsPath = ({ organizationId }: Stage) => `/ddp/v1/organizations/${organizationId}/records`;

/** Posts bodies from a number of clients until `next` returns none. Returns posts per second. */
const post = async (
  origin: string,
  { path, token, clients }: { path: string; token: string; clients: number },
  next: () => string | undefined,
): Promise<number> => {
  const pool = new Pool(origin, { connections: clients });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  let posts = 0;
  const begun = performance.now();
  const client = async () => {
    for (let body = next(); body !== undefined; body = next()) {
      const response = await pool.request({ method: 'POST', path, headers, body });
      const text = await response.body.text();
      if (response.statusCode !== 200 || text.includes('"accepted":0')) throw new Error(text.slice(0, 500));
      posts++;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const seconds = (performance.now() - begun) / 1000;
  await pool.close();
  return posts / seconds;
};

const bodyOf = (fleet: Pick<BenchFleet, 'serials'>, size: number): string =>
  JSON.stringify(Array.from({ length: size }, () => nextItem(fleet)));

const postBatches = async (stage: Stage, fleet: Pick<BenchFleet, 'serials'>): Promise<number> => {
  const bodies = Array.from({ length: batches }, () => bodyOf(fleet, batchSize));
  const call = { path: recordsPath(stage), token: stage.token, clients: batchClients };
  await stage.pool.query('checkpoint');
  return batchSize * (await post(new URL(stage.base).origin, call, () => bodies.pop()));
};

/** Copies the newest rows once more, from a file that the database server itself reads. */
const copyRows = async ({ pool, folder }: Stage): Promise<number> => {
  const rows = batches * batchSize;
  await pool.query(
    `copy (select * from record where seq > (select max(seq) - ${rows} from record) order by seq) to '${folder}/rows'`,
  );
  await pool.query('checkpoint');
  const begun = performance.now();
  await pool.query(`copy record from '${folder}/rows'`);
  return rows / ((performance.now() - begun) / 1000);
};

const whileSearching = async <Result>(
  stage: Stage,
  fleet: BenchFleet,
  work: () => Promise<Result>,
): Promise<Result> => {
  let over = false;
  const search = async () => {
    const now = Date.now() / 1000;
    const aggs = {
      hours: {
        date_histogram: { field: 'ts', fixed_interval: '1m' },
        aggs: { t: { avg: { field: 'data.temperature' } } },
      },
    };
    const body = { ts: { gte: now - 7200, lte: now }, queries: [{ products: fleet.productIds, size: 10, aggs }] };
    const response = await fetch(`${stage.base}/applications/${stage.organizationId}/${fleet.applicationId}/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await response.text();
  };
  const searching = (async () => {
    while (!over) await search();
  })();
  try {
    return await work();
  } finally {
    over = true;
    await searching;
  }
};

const postSingles = (origin: string, stage: Stage, fleet: BenchFleet): Promise<number> => {
  const until = performance.now() + singleSeconds * 1000;
  const next = () => (performance.now() < until ? JSON.stringify(nextItem(fleet)) : undefined);
  const call = { path: recordsPath(stage), token: stage.token, clients: singleClients };
  return post(origin, call, next);
};

const besideBareServer = async (stage: Stage, fleet: BenchFleet): Promise<number> => {
  const server = await startRival('one-commit', stage.connectionString);
  try {
    return await postSingles(server.origin, stage, fleet);
  } finally {
    server.close();
  }
};

/** Reports the peak increase of the service's resident memory during one call with 10,000 items. Linux only. */
const reportMemory = async (stage: Stage, fleet: BenchFleet): Promise<void> => {
  const bodies = [bodyOf(fleet, 10_000)];
  const atRest = resident(stage.pid);
  let highest = atRest;
  const timer = setInterval(() => {
    highest = Math.max(highest, resident(stage.pid));
  }, 5);
  await post(new URL(stage.base).origin, { path: recordsPath(stage), token: stage.token, clients: 1 }, () =>
    bodies.pop(),
  );
  clearInterval(timer);
  stdout.write(
    `\nMemory: ${Math.round(atRest)} MiB at rest, a body of 10,000 items adds ${Math.round(highest - atRest)} MiB\n`,
  );
};
