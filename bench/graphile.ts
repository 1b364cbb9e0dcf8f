import { createRequire } from 'node:module';
import { join } from 'node:path';
import { argv, env, stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Pool } from 'undici';

/* Drains jobs with graphile-worker, tuned: 64 concurrent jobs, a local queue that is filled 500 jobs at a time,
   and batched completion. Arguments: the folder that it is installed in, the receiver, and the number of jobs.
   DATABASE_URL is the address of the database. Prints jobs per second. */

/** The part of graphile-worker's interface that is used here. The package is not a dependency of the project. */
interface Graphile {
  runMigrations(options: object): Promise<void>;
  run(options: object): Promise<{ stop(): Promise<void> }>;
  Logger: new (factory: () => () => void) => object;
}

const [folder, origin, count] = argv.slice(2) as [string, string, string];
const connectionString = env['DATABASE_URL'] ?? '';
const { run, runMigrations, Logger } = createRequire(join(folder, 'package.json'))('graphile-worker') as Graphile;
const worker = {
  connectionString,
  concurrentJobs: 64,
  maxPoolSize: 64,
  pollInterval: 500,
  localQueue: { size: 500, ttl: 60_000, refetchDelay: { durationMs: 1 } },
  completeJobBatchDelay: 5,
  failJobBatchDelay: 5,
};
const logger = new Logger(() => () => undefined);
await runMigrations({ preset: { worker: { ...worker, logger } } });
const pool = new pg.Pool({ connectionString, max: 1 });
const payload = JSON.stringify({ filler: 'x'.repeat(350) });
await pool.query('select graphile_worker.add_job($1, $2::json) from generate_series(1, $3::int)', [
  'call',
  payload,
  count,
]);

const calls = new Pool(origin, { connections: 64 });
const headers = { 'content-type': 'application/json' };
const begun = performance.now();
const runner = await run({
  preset: { worker: { ...worker, logger } },
  taskList: {
    call: async (body: unknown) => {
      const answer = await calls.request({ path: '/graphile', method: 'POST', body: JSON.stringify(body), headers });
      await answer.body.dump();
    },
  },
});
for (;;) {
  const { rows } = await pool.query('select from graphile_worker.jobs limit 1');
  if (rows.length === 0) break;
  await pause(50);
}
stdout.write(`${(Number(count) * 1000) / (performance.now() - begun)}\n`);
await runner.stop();
await Promise.all([pool.end(), calls.close()]);
process.exit(0);
