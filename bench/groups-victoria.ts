import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stdout } from 'node:process';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { daySeconds, hourSeconds } from '#common/time.js';
import type { GroupLine } from '#records/group-series.js';
import { progress, type Row, report, timed } from './figures.js';
import { type Running, startRival } from './stores-rival.js';
import { victoria } from './stores-victoria.js';

/** Numbers by the Unix seconds at which their days in UTC begin. */
type ByDay = ReadonlyMap<number, number>;

/**
 * Measures the consumption of all devices by day in UTC beside VictoriaMetrics and SQL by hand. Counters without dips
 * have one consumption by all definitions, so the answers are compared, too. `ask` asks for the same line of ours.
 */
export const measureBesideVictoria = async (
  pool: Pool,
  { from, to, rounds }: { from: number; to: number; rounds: number },
  ask: () => Promise<readonly GroupLine[]>,
): Promise<void> => {
  const rival = await startVictoria(pool, from - daySeconds, to);
  if (rival === undefined) {
    stdout.write('\nVictoriaMetrics is not installed.\n');
    return;
  }
  try {
    const byHand = `select * from (${stepsByDay(from - daySeconds, to)}) s where b >= ${from}`;
    const ways: readonly [name: string, way: () => Promise<ByDay>][] = [
      ['sums of all devices', async () => byDayOf(await ask())],
      ['VictoriaMetrics', () => rival.byDay(from, to)],
      ['SQL by hand', async () => byDayOfRows((await pool.query<{ b: number; sum: number }>(byHand)).rows)],
    ];
    const rows = ways.map(([name]): Row => ({ name, figures: [] }));
    const answers: ByDay[] = [];
    for (let round = 0; round < rounds; round++)
      for (const [index, [, way]] of ways.entries())
        rows[index]!.figures.push(await timed(async () => (answers[index] = await way())));
    answers.forEach((answer, index) => requireAgreement(rows[index]!.name, answers[0]!, answer));
    for (const row of rows.slice(0, -1)) row.against = rows.at(-1)!;
    report(`consumption by ${answers[0]!.size} days in UTC: the answers are the same`, 'ms', rows);
    stdout.write('\n');
  } finally {
    await rival.stop();
  }
};

const stepsByDay = (from: number, to: number): string => `
  select extract(epoch from date_trunc('day', ts, 'UTC'))::float8 as b, sum(greatest(v - high, 0)) as sum from (
    select ts, numbers[1] as v, lag(numbers[1]) over (partition by device_id order by ts, seq) as high
      from record where ts >= to_timestamp(${from}) and ts < to_timestamp(${to})) s group by 1 order by 1`;

/** VictoriaMetrics with the counters of a fleet. */
interface VictoriaFleet {
  /** Asks for the consumption of all devices by day in UTC. */
  byDay(from: number, to: number): Promise<ByDay>;
  stop(): Promise<void>;
}

/** Starts VictoriaMetrics with the records since a time. Returns undefined if it is not installed. */
const startVictoria = async (pool: Pool, since: number, until: number): Promise<VictoriaFleet | undefined> => {
  const folder = await mkdtemp(join(tmpdir(), 'ddp-bench-'));
  const running = await startRival(victoria, folder);
  if (running === undefined) {
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
  await copyRecords(pool, running, since, until);
  await victoria.flush?.(running.call);
  return {
    byDay: (from, to) => askByDay(running, from, to),
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Lines of a request. */
const linesAtOnce = 20_000;

const copyRecords = async (pool: Pool, { call }: Running, since: number, until: number): Promise<void> => {
  for (let from = since; from < until; from += hourSeconds) {
    const { rows } = await pool.query<{ line: string }>(sql`
      select 'bench,device=' || device_id || ' energy=' || numbers[1] || ' ' || floor(extract(epoch from ts))::bigint as line
        from record where ts >= to_timestamp(${from}::float8) and ts < to_timestamp(${from + hourSeconds}::float8)`);
    for (let place = 0; place < rows.length; place += linesAtOnce) {
      const lines = rows.slice(place, place + linesAtOnce).map(({ line }) => line);
      await call('POST', victoria.write, lines.join('\n'));
    }
    progress((from - since) / hourSeconds + 1, (until - since) / hourSeconds);
  }
};

interface Matrix {
  readonly data: { readonly result: readonly { readonly values: readonly [seconds: number, value: string][] }[] };
}

/**
 * Windows end a millisecond before midnight, because they include their ends and exclude their starts. VictoriaMetrics
 * knows no value before its first window, if records are more than five minutes apart: it is asked for a day more.
 */
const askByDay = async ({ call }: Running, from: number, to: number): Promise<ByDay> => {
  const query = new URLSearchParams({
    query: 'sum(increase(bench_energy[1d]))',
    start: `${from - 0.001}`,
    end: `${to - 0.001}`,
    step: '1d',
    nocache: '1',
  });
  const { data } = JSON.parse(await call('GET', `/api/v1/query_range?${query}`)) as Matrix;
  const [line] = data.result;
  const days = line!.values.map(([seconds, value]): [number, number] => [
    Math.round(seconds) - daySeconds,
    Number(value),
  ]);
  return new Map(days.filter(([day]) => day >= from));
};

/** Returns the values of a line over many devices. */
const byDayOf = ([line]: readonly GroupLine[]): ByDay =>
  new Map(line!.ts.map((at, index) => [at, line!.values[index]!]));

/** Returns the rows of SQL by hand, whose first columns are a time and a number. */
const byDayOfRows = (rows: readonly { b: number; sum: number }[]): ByDay => new Map(rows.map(({ b, sum }) => [b, sum]));

/** @throws Error for days or numbers of one answer that the other lacks, beyond a billionth of their size */
const requireAgreement = (name: string, answer: ByDay, other: ByDay): void => {
  const days = new Set([...answer.keys(), ...other.keys()]);
  for (const day of days) {
    const [one, two] = [answer.get(day), other.get(day)];
    if (one === undefined || two === undefined || Math.abs(one - two) > 1e-9 * Math.max(1, Math.abs(one)))
      throw new Error(`${name} answers ${two} on ${new Date(day * 1000).toISOString()} instead of ${one}.`);
  }
};
