import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import sql, { type Sql } from 'sql-template-tag';
import { median, type Row, report } from './figures.js';
import { type BenchFleet, furnish } from './fleet.js';
import { openStage, type Stage } from './stage.js';
import { storeMillions } from './store-millions.js';

/** One question: how ours is asked, and the best SQL for just that. */
interface Question {
  name: string;
  query: object;
  byHand: (devices: readonly string[]) => Sql;
}

const dashboards = 20;
const day = 86_400_000;

/** Searches over HTTP against SQL written by hand for the same question. `--rows N` (1 million), `--rounds N` (5). */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { rows: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '5' } },
  });
  const stage = await openStage();
  try {
    const fleet = await furnish(stage, 200);
    await storeMillions(stage, fleet, Number(values.rows));
    const devices = await devicesOf(stage, fleet);
    for (const { name, query, byHand } of questions(fleet, devices)) {
      const hand: Row = { name: 'SQL by hand', figures: [] };
      const ours: Row = { name: 'search', figures: [], against: hand };
      for (let round = 0; round <= Number(values.rounds); round++) {
        const [asked, written] = [
          await timed(() => ask(stage, fleet, query)),
          await timed(() => stage.pool.query(byHand(devices))),
        ];
        // The first round only warms.
        if (round > 0) {
          ours.figures.push(asked);
          hand.figures.push(written);
        }
      }
      report(name, 'ms', [hand, ours]);
    }
    await reportDashboards(stage, fleet, devices);
  } finally {
    await stage.close();
  }
}

const questions = ({ productId }: BenchFleet, devices: readonly string[]): Question[] => {
  const week = new Date(Date.now() - 7 * day).toISOString();
  const yesterday = new Date(Date.now() - day).toISOString();
  const ofDevices = (some: readonly string[]) => sql`device_id = any(${some}::uuid[])`;
  return [
    {
      name: 'Latest 10 of an application',
      query: { sort: [{ ts: 'desc' }], track_total_hits: false },
      byHand: (all) =>
        sql`select r.* from unnest(${all}::uuid[]) d, lateral (select * from record where device_id = d and ts >= ${yesterday}::timestamptz order by ts desc limit 10) r order by ts desc limit 10`,
    },
    {
      name: 'One device, a day, raw',
      query: {
        size: 1000,
        track_total_hits: false,
        query: { bool: { filter: [{ term: { 'device.id': devices[0]! } }, { range: { ts: { gte: yesterday } } }] } },
      },
      byHand: ([one]) =>
        sql`select * from record where ${ofDevices([one!])} and ts >= ${yesterday}::timestamptz order by ts desc limit 1000`,
    },
    {
      name: 'One product, a week, hourly average',
      query: {
        size: 0,
        track_total_hits: false,
        products: [productId],
        query: { range: { ts: { gte: week } } },
        aggs: {
          h: {
            date_histogram: { field: 'ts', fixed_interval: '1h' },
            aggs: { m: { avg: { field: 'data.temperature' } } },
          },
        },
      },
      byHand: (all) =>
        sql`select date_bin('1 hour', ts, 'epoch'), count(*), avg(numbers[1]) from record where product_id = ${productId}::uuid and ${ofDevices(all)} and ts >= ${week}::timestamptz group by 1`,
    },
    {
      name: 'Whole range, daily count',
      query: {
        size: 0,
        track_total_hits: false,
        aggs: { d: { date_histogram: { field: 'ts', calendar_interval: 'day' } } },
      },
      byHand: (all) =>
        sql`select date_bin('1 day', ts, 'epoch'), count(*) from record where ${ofDevices(all)} group by 1`,
    },
    {
      name: 'Whole range, terms with stats',
      query: {
        size: 0,
        track_total_hits: false,
        aggs: { s: { terms: { field: 'data.status' }, aggs: { t: { stats: { field: 'data.temperature' } } } } },
      },
      byHand: (all) =>
        sql`select texts[1], count(*), count(numbers[1]), sum(numbers[1]), min(numbers[1]), max(numbers[1]) from record where ${ofDevices(all)} group by 1`,
    },
    {
      name: 'Whole range, percentiles',
      query: { size: 0, track_total_hits: false, aggs: { p: { percentiles: { field: 'data.temperature' } } } },
      byHand: (all) =>
        sql`select percentile_cont('{0.01,0.05,0.25,0.5,0.75,0.95,0.99}'::float8[]) within group (order by numbers[1]) from record where ${ofDevices(all)}`,
    },
    {
      name: 'Whole range, a page of composite',
      query: {
        size: 0,
        track_total_hits: false,
        aggs: {
          c: {
            composite: {
              size: 100,
              sources: [{ d: { terms: { field: 'device.id' } } }, { s: { terms: { field: 'data.status' } } }],
            },
          },
        },
      },
      byHand: (all) =>
        sql`select device_id, texts[1], count(*) from record where ${ofDevices(all)} group by 1, 2 order by 1, 2 limit 100`,
    },
  ];
};

/** Dashboards of six panels, all at once: a day of a few devices each. */
const reportDashboards = async (stage: Stage, fleet: BenchFleet, devices: readonly string[]): Promise<void> => {
  const panel = (device: string) => ({
    size: 0,
    query: { bool: { filter: [{ term: { 'device.id': device } }, { range: { ts: { gte: 'now-1d' } } }] } },
    aggs: {
      h: { date_histogram: { field: 'ts', fixed_interval: '1h' }, aggs: { m: { avg: { field: 'data.temperature' } } } },
    },
  });
  const one = (index: number) =>
    ask(
      stage,
      fleet,
      ...Array.from({ length: 6 }, (_, place) => panel(devices[(index * 6 + place) % devices.length]!)),
    );
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const all = Array.from({ length: dashboards }, (_, index) => timed(() => one(index)));
    if (round > 0) times.push(...(await Promise.all(all)));
    else await Promise.all(all);
  }
  const p95 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
  stdout.write(
    `\n${dashboards} dashboards of 6 panels at once\n  median ${median(times).toFixed(0)} ms, 95 % within ${p95.toFixed(0)} ms\n`,
  );
};

const devicesOf = async ({ pool }: Stage, { productId }: BenchFleet): Promise<string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    sql`select id from device where product_id = ${productId}::uuid order by id`,
  );
  return rows.map(({ id }) => id);
};

const ask = async (
  { base, organizationId, token }: Stage,
  { applicationId }: BenchFleet,
  ...queries: object[]
): Promise<void> => {
  const response = await fetch(`${base}/applications/${organizationId}/${applicationId}/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ts: { gte: 946_684_800, lte: 4_102_444_800 },
      queries: queries.map((query) => ({ products: [], ...query })),
    }),
  });
  const { responses } = (await response.json()) as { responses: { status: number; timed_out: boolean }[] };
  const failed = responses.find(({ status, timed_out: late }) => status !== 200 || late);
  if (failed !== undefined) throw new Error(JSON.stringify(failed).slice(0, 500));
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};
