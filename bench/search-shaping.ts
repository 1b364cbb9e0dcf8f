import { stdout } from 'node:process';
import type pg from 'pg';
import { fairQueueFor } from '#database/pool-queue.js';
import { createPool } from '#database/pools.js';
import { locate, type PlainJson } from '#json/json.js';
import { createSearch } from '#records/postgres/search/postgres-search.js';
import { median, timed } from './figures.js';
import { panelOf, questionsOf } from './search-question.js';
import type { SearchWorld } from './search-world.js';

const rounds = 500;

/** Measures a search without the database: parsing, compiling and shaping, with PostgreSQL's answers from memory. */
export const reportShaping = async (world: SearchWorld): Promise<void> => {
  const { stage, fleet } = world;
  const pool = createPool(stage.connectionString, { max: 4 });
  const search = createSearch({
    pool: remembering(pool),
    queue: fairQueueFor(pool),
    clock: () => world.until,
    timeoutMs: 60_000,
  });
  const call = { organizationId: stage.organizationId, applicationId: fleet.applicationId };
  const panel = { products: [], ...panelOf(world, 0) };
  const bodies: [string, object[]][] = [
    ['a panel', [panel]],
    ['a dashboard of 6 panels', Array.from({ length: 6 }, () => panel)],
    ...questionsOf(world)
      .filter(({ name }) => name.startsWith('product'))
      .map(({ name, query }): [string, object[]] => [name, [{ products: [], ...query }]]),
  ];
  stdout.write('\nshaping: compile and shape, PostgreSQL answering from memory\n');
  try {
    for (const [name, queries] of bodies) {
      const ask = async () => {
        const [ts, given] = [locate(stage.allTime), locate(queries as unknown as PlainJson)];
        return JSON.stringify(await search.prepare(ts, given)(call));
      };
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) times.push(await timed(ask));
      stdout.write(
        `  ${name.padEnd(44)} ${median(times.slice(rounds / 2))
          .toFixed(2)
          .padStart(8)} ms\n`,
      );
    }
  } finally {
    await pool.end();
  }
};

/** Wraps a pool so that it sends each statement to PostgreSQL once and then repeats the answer. */
const remembering = (pool: pg.Pool): pg.Pool => {
  const answers = new Map<string, Promise<unknown>>();
  const connect = () => {
    let client: Promise<pg.PoolClient> | undefined;
    const query = (statement: unknown, values?: unknown[]) => {
      const key = JSON.stringify([statement, values], (name, value: unknown) =>
        name === 'types' ? undefined : value,
      ).replace(/\b\d{8}-\d{8}-\d+\b|"\d{4,5}"|statement_timeout = \d+/g, '');
      const found = answers.get(key);
      if (found !== undefined) return found;
      client ??= pool.connect();
      const answer = client.then((one) => one.query(statement as string, values));
      answers.set(key, answer);
      return answer;
    };
    return Promise.resolve({
      query,
      escapeLiteral: (text: string) => `'${text}'`,
      release: () => void client?.then((one) => one.release(true)),
    });
  };
  return { connect, options: pool.options, waitingCount: 0, idleCount: 1, totalCount: 1 } as unknown as pg.Pool;
};
