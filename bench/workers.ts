import { availableParallelism } from 'node:os';
import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { median, type Row, report } from './figures.js';
import { furnish, nextItem } from './fleet.js';
import { type Call, load } from './load.js';
import { type Spent, spentBy } from './processor.js';
import { openStage, type Stage, type StageService } from './stage.js';

/** Numbers of workers that are compared in turn. */
const counts = [1, 2];
/** Number of workers and processors of the machine that is extrapolated to. */
const large = 8;
const devices = 50;
const batchSize = 1000;

/** A kind of request to the service, with its number of connections. One call counts as `size` units of work. */
interface Work {
  title: string;
  unit: string;
  size: number;
  connections: number;
  call: Call;
}

/** Processor time per unit of work of each part, in microseconds. */
interface Cost extends Spent {
  clients: number;
}

/** A service with a number of workers, and its results in each round. */
interface Team {
  workers: number;
  service: StageService;
  rates: Row;
  costs: Cost[];
}

/**
 * Compares REST and ingestion with one worker and with two, in turn, over one database, on processors that the clients
 * share. Then computes the rate on {@link large} processors from the processor time of each part: see {@link rateOf}.
 * `--seconds N` is the duration of each load (3), `--rounds N` the number of rounds (5).
 */
export async function run(args: readonly string[]): Promise<void> {
  const options = { seconds: { type: 'string', default: '3' }, rounds: { type: 'string', default: '5' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const stage = await openStage({ WORKERS: String(counts[0]) });
  const services: StageService[] = [
    { origin: new URL(stage.base).origin, pid: stage.pid, close: () => Promise.resolve() },
  ];
  try {
    for (const workers of counts.slice(1)) services.push(await stage.serve({ WORKERS: String(workers) }));
    for (const work of await worksOf(stage))
      await compare(stage, work, services, { seconds: Number(values.seconds), rounds: Number(values.rounds) });
  } finally {
    for (const service of services) await service.close();
    await stage.close();
  }
}

const worksOf = async (stage: Stage): Promise<Work[]> => {
  const fleet = await furnish(stage, devices);
  const { rows } = await stage.pool.query<{ id: string }>('select id from device');
  await stage.pool.query('vacuum analyze');
  const path = (rest: string) => () => `${new URL(stage.base).pathname}/${rest}`;
  const some = () => rows[Math.floor(Math.random() * rows.length)]!.id;
  const post = path(`organizations/${stage.organizationId}/records`);
  const batch = () => JSON.stringify(Array.from({ length: batchSize }, () => nextItem(fleet)));
  const get: Call = { method: 'GET', path: () => path(`devices/${stage.organizationId}/${some()}`)() };
  const single: Call = { method: 'POST', path: post, body: () => JSON.stringify(nextItem(fleet)) };
  return [
    { title: 'GET device', unit: 'requests/s', size: 1, connections: 64, call: get },
    { title: 'POST of one record', unit: 'requests/s', size: 1, connections: 64, call: single },
    {
      title: `POST of ${batchSize} records`,
      unit: 'records/s',
      size: batchSize,
      connections: 8,
      call: { ...single, body: batch },
    },
  ];
};

const compare = async (
  stage: Stage,
  work: Work,
  services: readonly StageService[],
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<void> => {
  const teams = services.map((service, index): Team => {
    const workers = counts[index]!;
    return { workers, service, rates: { name: workerLabel(workers), figures: [] }, costs: [] };
  });
  for (let round = 0; round <= rounds; round++) {
    for (const { service, rates, costs } of teams) {
      const { rate, cost } = await measure(stage, work, service, seconds);
      // The first round only warms up.
      if (round === 0) continue;
      rates.figures.push(rate);
      costs.push(cost);
    }
  }
  const [first, ...others] = teams.map(({ rates }) => rates);
  report(`${work.title}, ${work.connections} connections`, work.unit, [
    first!,
    ...others.map((row) => ({ ...row, against: first! })),
  ]);
  for (const { workers, costs } of teams) {
    const cost = middle(costs);
    const { service, database, clients } = cost;
    const here = rateOf(workers, availableParallelism(), cost, service + database + clients);
    stdout.write(
      `  ${workerLabel(workers)}: ${service.toFixed(1)} us of the service, ${database.toFixed(1)} of PostgreSQL, ` +
        `${clients.toFixed(1)} of the clients; computed for this machine ${shown(here)}\n`,
    );
  }
  const computed = (team: Team, workers: number) => {
    const cost = middle(team.costs);
    return rateOf(workers, large, cost, cost.service + cost.database);
  };
  const [one, all] = [computed(teams[0]!, 1), computed(teams.at(-1)!, large)];
  stdout.write(
    `  computed for ${large} processors, clients elsewhere: ${workerLabel(1)} ${shown(one)}, ${workerLabel(large)} ${shown(all)} ` +
      `(${(all / one).toFixed(1)} times)\n`,
  );
};

/**
 * Computes the units per second of a number of workers and processors: the smaller of what the workers' threads allow,
 * one processor each, and of what the processors allow for all work on them. Waits for shared resources (the flush of
 * the write-ahead log, locks, memory bandwidth) are not included, so the result is an upper bound.
 */
const rateOf = (workers: number, processors: number, { service }: Cost, all: number): number =>
  Math.min(workers / service, processors / all) * 1_000_000;

const measure = async (
  { pool, token }: Stage,
  { title, connections, call, size }: Work,
  { origin, pid }: StageService,
  seconds: number,
): Promise<{ rate: number; cost: Cost }> => {
  const [before, ours] = [await spentBy({ pool, pid }), process.cpuUsage()];
  const begun = performance.now();
  const rate = size * (await load({ name: title, origin, call }, token, seconds, connections));
  const units = (rate * (performance.now() - begun)) / 1000;
  const [after, { user, system }] = [await spentBy({ pool, pid }), process.cpuUsage(ours)];
  const each = (of: keyof Spent) => (after[of] - before[of]) / units;
  return { rate, cost: { service: each('service'), database: each('database'), clients: (user + system) / units } };
};

const middle = (costs: readonly Cost[]): Cost => {
  const of = (part: keyof Cost) => median(costs.map((cost) => cost[part]));
  return { service: of('service'), database: of('database'), clients: of('clients') };
};

const workerLabel = (workers: number): string => (workers === 1 ? '1 worker' : `${workers} workers`);
const shown = (rate: number): string => Math.round(rate).toLocaleString('en');
