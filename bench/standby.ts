import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { createLog } from '#common/log.js';
import { prepareCluster } from '#database/cluster.js';
import { createPool } from '#database/pools.js';
import { startStandby } from '../test/support/standby.js';
import { median, timed } from './figures.js';
import { nextItem } from './fleet.js';
import { type Spent, spentBy } from './processor.js';
import { questionsOf } from './search-question.js';
import { openWorld, type SearchWorld } from './search-world.js';
import type { StageService } from './stage.js';

/** Concurrent searches, and records of one call of the single client that posts. */
const searchers = 4;
const batch = 500;

/** A service with or without the standby, and its figures of each round. */
interface Side {
  readonly name: string;
  readonly service: StageService;
  readonly searches: number[];
  readonly slow: number[];
  readonly records: number[];
  readonly primary: number[];
}

/**
 * Measures concurrent searches and ingestion, with and without a standby on this machine. Reports searches and records
 * per second, and the primary's processor time per search, including the ingestion meanwhile. All servers share the
 * processors, so the rates show the cost of a standby, and the processor time shows the relief of the primary. Options:
 * `--rows N` (1 million), `--seconds N` (20) per turn, `--rounds N` (5).
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: 'string', default: '1000000' },
      seconds: { type: 'string', default: '20' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const world = await openWorld(Number(values.rows));
  const { stage } = world;
  const cluster = await prepareCluster(join(stage.folder, 'data'), createLog('warn'));
  const data = join(stage.folder, 'standby');
  await rm(data, { recursive: true, force: true });
  const standby = await startStandby(cluster, stage.connectionString, data, {
    max_connections: '200',
    shared_buffers: '256MB',
    hot_standby_feedback: 'on',
  });
  const services: StageService[] = [];
  try {
    const open = async (name: string, settings: Readonly<Record<string, string>>): Promise<Side> => {
      const service = await stage.serve(settings);
      services.push(service);
      return { name, service, searches: [], slow: [], records: [], primary: [] };
    };
    const sides = [await open('primary alone', {}), await open('with a standby', { DATABASE_READ_URL: standby.url })];
    const seconds = Number(values.seconds);
    for (let round = 0; round <= Number(values.rounds); round++) {
      // The first round only warms up.
      for (const side of sides) await turn(world, side, standby.url, round === 0 ? 5 : seconds, round > 0);
    }
    print(sides);
  } finally {
    for (const service of services) await service.close();
    await standby.signal('SIGQUIT');
    await rm(data, { recursive: true, force: true });
    await stage.close();
  }
}

const turn = async (world: SearchWorld, side: Side, standbyUrl: string, seconds: number, counts: boolean) => {
  const { stage, fleet, until } = world;
  const client = new Pool(side.service.origin);
  const onStandby = createPool(standbyUrl, { max: 1 });
  const post = async (path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${stage.token}`, 'content-type': 'application/json' };
    const answer = await client.request({
      method: 'POST',
      path: `/ddp/v1${path}`,
      headers,
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(text.slice(0, 500));
  };
  const { organizationId } = stage;
  const questions = questionsOf(world).map(({ query }) => ({ products: [], ...query }));
  const spent = async (): Promise<[Spent, Spent]> => [
    await spentBy({ pool: stage.pool, pid: side.service.pid }),
    await spentBy({ pool: onStandby, pid: side.service.pid }),
  ];
  const before = await spent();
  const begun = performance.now();
  const end = begun + seconds * 1000;
  const times: number[] = [];
  let records = 0;
  const search = async (first: number) => {
    for (let index = first; performance.now() < end; index++) {
      const queries = [questions[index % questions.length]];
      const path = `/applications/${organizationId}/${fleet.applicationId}/search`;
      times.push(await timed(() => post(path, { ts: stage.allTime, queries })));
    }
  };
  const store = async () => {
    for (; performance.now() < end; records += batch)
      await post(
        `/organizations/${organizationId}/records`,
        Array.from({ length: batch }, () => nextItem(fleet)),
      );
  };
  await Promise.all([store(), ...Array.from({ length: searchers }, (_, index) => search(index * 2))]);
  const took = (performance.now() - begun) / 1000;
  const [primary, standby] = await spent();
  await client.close();
  await onStandby.end();
  await stage.pool.query('delete from record where ts > to_timestamp($1::float8 / 1000)', [until]);
  await stage.pool.query('truncate record_dirty, record_key');
  const of = (which: 0 | 1, after: Spent) => (after.database - before[which].database) / 1000 / times.length;
  stdout.write(
    `  ${side.name}: ${times.length} searches, ${records} records in ${took.toFixed(0)} s; processor time a search: primary ${of(0, primary).toFixed(1)} ms, standby ${of(1, standby).toFixed(1)} ms\n`,
  );
  if (!counts) return;
  side.searches.push(times.length / took);
  side.slow.push(times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!);
  side.records.push(records / took);
  side.primary.push(of(0, primary));
};

const print = ([alone, shared]: readonly Side[]) => {
  const row = (name: string, unit: string, figures: (side: Side) => number[]) => {
    const ratio = median(figures(shared!).map((figure, round) => figure / figures(alone!)[round]!));
    stdout.write(
      `  ${name.padEnd(44)} ${median(figures(alone!)).toFixed(0).padStart(8)} alone ${median(figures(shared!)).toFixed(0).padStart(8)} with a standby ${unit}   ${ratio.toFixed(2)}\n`,
    );
  };
  stdout.write('\nsearches and ingestion at once\n');
  row('searches', 'a second', ({ searches }) => searches);
  row('95 % of the searches within', 'ms', ({ slow }) => slow);
  row('records stored', 'a second', ({ records }) => records);
  row('processor time of the primary a search', 'ms', ({ primary }) => primary);
};
