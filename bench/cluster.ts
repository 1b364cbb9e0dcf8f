import { env, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { readConfig } from '#config/config.js';
import { openClusterTools } from '#records/opensearch/cluster-tools.js';
import { median, progress, type Row, report } from './figures.js';
import { furnish, nextItem } from './fleet.js';
import { type Spent, spentBy } from './processor.js';
import { average, turn, warmUp } from './search.js';
import { type Engine, openEngine } from './search-engine.js';
import { type Question, questionsOf } from './search-question.js';
import { openWorld, type SearchWorld } from './search-world.js';
import { openStage, type Stage } from './stage.js';

const batchSize = 1000;
const batches = 50;
const clients = 4;

/**
 * Compares records on the cluster at OPENSEARCH_URL with the same records in PostgreSQL and in the engine queried
 * directly: the questions of the search bench, ingestion until the 200 and until records are indexed, and bytes per
 * record on each side.
 * `--rows N` (1 million), `--rounds N` (9), `--only a,b` runs the questions whose names begin so, `--prepare` only
 * copies the records.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '9' },
      only: { type: 'string' },
      prepare: { type: 'boolean', default: false },
    },
  });
  const url = env['OPENSEARCH_URL'];
  if (url === undefined) throw new Error('OPENSEARCH_URL must name a cluster.');
  const rounds = Number(values.rounds);
  const world = await openWorld(Number(values.rows));
  const { stage } = world;
  const settings = {
    OPENSEARCH_URL: url,
    OPENSEARCH_INDEX_PREFIX: `ddp-bench-${world.rows}-${world.until}`,
    OPENSEARCH_REPLICAS: '0',
  };
  try {
    await copy(world, settings);
    const engine = await openEngine(url.split(',')[0]!, world);
    if (values.prepare) return;
    const clustered = await stage.serve({ ...settings, RECORD_INDEX: 'opensearch', SEARCH_TIMEOUT: '60s' });
    try {
      const wanted = (name: string) => values.only?.split(',').some((one) => name.startsWith(one)) ?? true;
      for (const question of questionsOf(world).filter(({ name }) => wanted(name)))
        await compare(world, question, { engine, origin: clustered.origin, rounds });
      await reportSizes(world, url.split(',')[0]!, settings.OPENSEARCH_INDEX_PREFIX);
      if (wanted('ingestion')) await reportIngestion({ ...settings, RECORD_INDEX: 'opensearch' }, rounds);
    } finally {
      await clustered.close();
    }
  } finally {
    await stage.close();
  }
}

/**
 * Copies the records in PostgreSQL to the cluster, as `ddp index build` does. It skips records that were copied before.
 */
const copy = async ({ stage, rows }: SearchWorld, settings: Readonly<Record<string, string>>): Promise<void> => {
  const { OPENSEARCH_URL: url = '', OPENSEARCH_INDEX_PREFIX: prefix } = settings;
  const answer = await fetch(`${url.split(',')[0]}/${prefix}-*/_count`);
  const { count } = (await answer.json()) as { count: number };
  // The kept database records that it was copied, but the node is new and empty.
  if (count === 0) await stage.pool.query(`delete from index_move where name = 'build'`);
  const tools = await openClusterTools(readConfig(settings).cluster!, stage.pool);
  try {
    await tools.beginBuild();
    for (let phase = ''; phase !== 'tail'; ) {
      const state = await tools.stepBuild();
      phase = state?.phase ?? phase;
      if (state?.phase === 'copy') progress(state.done, rows);
    }
  } finally {
    await tools.close();
  }
};

/** Queries a service over one connection. */
const askerOf = (stage: Stage, origin: string, applicationId: string) => {
  const pool = new Pool(origin);
  return {
    async search(query: object): Promise<void> {
      const response = await pool.request({
        method: 'POST',
        path: `/ddp/v1/applications/${stage.organizationId}/${applicationId}/search`,
        headers: { authorization: `Bearer ${stage.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ts: stage.allTime, queries: [{ products: [], ...query }] }),
      });
      const text = await response.body.text();
      const [answer] = (JSON.parse(text) as { responses?: { status: number; timed_out: boolean }[] }).responses ?? [];
      if (answer?.status !== 200 || answer.timed_out) throw new Error(text.slice(0, 500));
    },
    close: () => pool.close(),
  };
};

interface Sides {
  engine: Engine;
  /** Origin of the service whose records are on the cluster. */
  origin: string;
  rounds: number;
}

/** Queries each side in turn. */
const compare = async (world: SearchWorld, question: Question, { engine, origin, rounds }: Sides): Promise<void> => {
  const { stage, fleet } = world;
  const clustered = askerOf(stage, origin, fleet.applicationId);
  const row = (name: string): Row => ({ name, figures: [] });
  const sides: [Row, () => Promise<unknown>][] = [
    [row('cluster'), () => clustered.search(question.query)],
    [row('PostgreSQL'), () => stage.search(fleet.applicationId, question.query)],
    [row('bare engine'), () => engine.ask(question)],
  ];
  try {
    for (const [, ask] of sides) await average(ask, warmUp);
    for (let round = 0; round < rounds; round++)
      for (const [side, ask] of sides) side.figures.push(await average(ask, turn));
  } finally {
    await clustered.close();
  }
  const ours = sides[0]![0].figures;
  stdout.write(`\n${question.name}\n`);
  for (const [{ name, figures }] of sides) {
    const ratio = median(ours.map((figure, round) => figure / figures[round]!));
    const more = median(ours.map((figure, round) => figure - figures[round]!));
    stdout.write(
      `  ${name.padEnd(14)} ${median(figures).toFixed(1).padStart(9)} ms   the cluster takes ${ratio.toFixed(2)} of it, ${more.toFixed(1)} ms more\n`,
    );
  }
};

/** Reports the bytes per record, indexes included. */
const reportSizes = async ({ stage }: SearchWorld, node: string, prefix: string): Promise<void> => {
  const { rows } = await stage.pool.query<{ bytes: number; records: number }>(
    `select sum(pg_total_relation_size(inhrelid))::float8 as bytes, (select count(*) from public.record)::float8 as records
       from pg_inherits where inhparent = 'public.record'::regclass`,
  );
  // The endpoint `_stats` needs modules of OpenSearch that a stripped-down node lacks.
  const answer = await fetch(`${node}/_cat/indices/${prefix}-*?format=json&bytes=b&h=docs.count,pri.store.size`);
  const indices = (await answer.json()) as { 'docs.count': string; 'pri.store.size': string }[];
  const sumOf = (column: 'docs.count' | 'pri.store.size') => indices.reduce((sum, of) => sum + Number(of[column]), 0);
  const each = (bytes: number, records: number) => `${Math.round(bytes / records)} bytes a record`;
  stdout.write(`\nPostgreSQL: ${each(rows[0]!.bytes, rows[0]!.records)}, `);
  stdout.write(`cluster: ${each(sumOf('pri.store.size'), sumOf('docs.count'))} and copy\n`);
};

/**
 * Compares acknowledged batches with an index in PostgreSQL and on the cluster, and measures how far indexing on the
 * cluster lags behind.
 */
const reportIngestion = async (settings: Readonly<Record<string, string>>, rounds: number): Promise<void> => {
  const stage = await openStage();
  const prefix = `${settings['OPENSEARCH_INDEX_PREFIX']}-ingest-${Date.now()}`;
  const clustered = await stage.serve({ ...settings, OPENSEARCH_INDEX_PREFIX: prefix });
  try {
    const fleet = await furnish(stage, 200);
    const without: Row = { name: 'POST of 1000, records in PostgreSQL', figures: [] };
    const answered: Row = { name: 'the same, records on the cluster: until the 200', figures: [], against: without };
    const indexed: Row = { name: 'until they are indexed', figures: [], against: without };
    const spent: Spent[] = [];
    for (let round = 0; round < rounds; round++) {
      without.figures.push(await postBatches(stage, new URL(stage.base).origin, fleet));
      const [before, begun] = [await spentBy({ ...stage, pid: clustered.pid }), performance.now()];
      answered.figures.push(await postBatches(stage, clustered.origin, fleet));
      await drained(stage);
      indexed.figures.push((batches * batchSize) / ((performance.now() - begun) / 1000));
      const after = await spentBy({ ...stage, pid: clustered.pid });
      spent.push({ service: after.service - before.service, database: after.database - before.database });
      stdout.write('.');
    }
    report('Ingestion', 'records/s', [without, answered, indexed]);
    const each = (of: keyof Spent) => (median(spent.map((one) => one[of])) / (batches * batchSize)).toFixed(1);
    stdout.write(
      `\nProcessor time of a record, indexing included: service ${each('service')} us, PostgreSQL ${each('database')} us\n`,
    );
  } finally {
    await clustered.close();
    await stage.close();
  }
};

const postBatches = async (stage: Stage, origin: string, fleet: Parameters<typeof nextItem>[0]): Promise<number> => {
  const bodies = Array.from({ length: batches }, () =>
    JSON.stringify(Array.from({ length: batchSize }, () => nextItem(fleet))),
  );
  const pool = new Pool(origin, { connections: clients });
  const begun = performance.now();
  const client = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const response = await pool.request({
        method: 'POST',
        path: `/ddp/v1/organizations/${stage.organizationId}/records`,
        headers: { authorization: `Bearer ${stage.token}`, 'content-type': 'application/json' },
        body,
      });
      const text = await response.body.text();
      if (response.statusCode !== 200) throw new Error(text.slice(0, 500));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const seconds = (performance.now() - begun) / 1000;
  await pool.close();
  return (batches * batchSize) / seconds;
};

/** Resolves when no batch waits to be indexed. */
const drained = async ({ pool }: Stage): Promise<void> => {
  for (;;) {
    const { rows } = await pool.query<{ waiting: boolean }>('select exists (select from record_batch) as waiting');
    if (!rows[0]!.waiting) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
