import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { env, execPath, stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import sql from 'sql-template-tag';
import { Pool } from 'undici';
import { median, type Row, report } from './figures.js';
import { type HookStage, openHookStage } from './hook-stage.js';
import { installPeer } from './peer.js';

/** Number of deliveries in a drain, and of calls in the raw loop. */
const drained = 50_000;
/** Number of jobs that graphile-worker drains. */
const peerJobs = 20_000;
const rounds = 3;

/**
 * Compares committed deliveries, called and settled, with the same calls in a loop without any state, and with a job
 * queue.
 */
export async function drain(): Promise<void> {
  const stage = await openHookStage();
  const raw: Row = { name: 'undici Pool.request, 64 connections', figures: [] };
  const peer: Row = { name: 'graphile-worker, tuned', figures: [] };
  const ours: Row = { name: 'drain of committed deliveries', figures: [], against: raw };
  const statements: number[] = [];
  const folder = await installPeer('graphile-worker', '0.18.0');
  for (let round = 0; round < rounds; round++) {
    raw.figures.push(await rawLoop(stage.receiver));
    peer.figures.push(await graphile(stage, folder));
    const storing = stage.hooks();
    for (let stored = 0; stored < drained; stored += 1000) await stage.store(storing, 1000);
    const before = stage.statements();
    const hooks = stage.hooks();
    const begun = performance.now();
    await hooks.start();
    await untilNothingWaits(stage);
    ours.figures.push((drained * 1000) / (performance.now() - begun));
    statements.push((stage.statements() - before) / drained);
    await hooks.close(5000);
  }
  await stage.close();
  report('Drain, 50 hooks', 'calls/s', [raw, peer, ours]);
  report('Against a queue', 'calls/s', [{ ...ours, name: 'the same', against: peer }]);
  stdout.write(`  statements per delivery: ${median(statements).toFixed(3)}\n`);
}

async function rawLoop(origin: string): Promise<number> {
  const pool = new Pool(origin, { connections: 64 });
  const body = JSON.stringify({ filler: 'x'.repeat(350) });
  let left = drained;
  const begun = performance.now();
  const one = async () => {
    while (left-- > 0) {
      const headers = { 'content-type': 'application/json' };
      const answer = await pool.request({ path: '/raw', method: 'POST', body, headers });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: 64 }, one));
  const rate = (drained * 1000) / (performance.now() - begun);
  await pool.close();
  return rate;
}

async function untilNothingWaits({ pool }: HookStage): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(sql`select from delivery where not done limit 1`);
    if (rows.length === 0) return;
    await pause(50);
  }
}

async function graphile({ connectionString, receiver }: HookStage, folder: string): Promise<number> {
  const program = fileURLToPath(new URL('./graphile.js', import.meta.url));
  const child = spawn(execPath, [program, folder, receiver, String(peerJobs)], {
    env: { ...env, DATABASE_URL: connectionString },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [rate] = (await once(child.stdout, 'data')) as [Buffer];
  await once(child, 'exit');
  return Number(rate.toString());
}
