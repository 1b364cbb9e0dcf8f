import { stdout } from 'node:process';
import sql from 'sql-template-tag';
import { Pool } from 'undici';
import { newId } from '../src/entities/id.js';
import { claimQuery } from '../src/hooks/claim.js';
import { dispatcherSession } from '../src/hooks/hooks.js';
import { median, type Row, report } from './figures.js';
import { type HookStage, openHookStage } from './hook-stage.js';

/** Deliveries of a drain, and calls of the raw loop. */
const drained = 50_000;
const rounds = 3;
/** Offered load, in records a second, and for how long, in seconds. */
const offered = 1000;
const seconds = 20;

/** Hook delivery: a drain against a raw loop, a steady load with and without a hook that hangs, a claim among a million. */
export async function run(args: readonly string[]): Promise<void> {
  const wanted = (part: string) => args.length === 0 || args.includes(part);
  if (wanted('drain')) await drain();
  if (wanted('steady')) await steady();
  if (wanted('claim')) await claimAmongMany();
}

/** Committed deliveries, called and settled, against the same calls in a loop that remembers nothing. */
async function drain(): Promise<void> {
  const stage = await openHookStage();
  const raw: Row = { name: 'undici Pool.request, 64 connections', figures: [] };
  const ours: Row = { name: 'drain of committed deliveries', figures: [], against: raw };
  const statements: number[] = [];
  for (let round = 0; round < rounds; round++) {
    raw.figures.push(await rawLoop(stage.receiver));
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
  report('Drain, 50 hooks', 'calls/s', [raw, ours]);
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

/** A steady load; how long it takes from before the commit to the receiver's answer, of all hooks but the hanging one. */
async function steady(): Promise<void> {
  for (const hanging of [false, true]) {
    const stage = await openHookStage({ hanging });
    const hooks = stage.hooks();
    await hooks.start();
    const begun = performance.now();
    const before = stage.statements();
    const perTick = offered / 100;
    const commits: Promise<void>[] = [];
    for (let tick = 0; tick < seconds * 100; tick++) {
      commits.push(stage.store(hooks, perTick, tick * perTick).then(hooks.wake));
      await pause(Math.max(0, begun + (tick + 1) * 10 - performance.now()));
    }
    await Promise.all(commits);
    await pause(1000);
    const statements = (stage.statements() - before) / (offered * seconds);
    const { rows } = await stage.pool.query<Record<'p50' | 'p95' | 'p99', number>>(sql`
      with took as (
        select extract(epoch from (attempts -> 0 ->> 'at')::timestamptz - created_at) * 1000
               + (attempts -> 0 -> 'duration' ->> 'total')::double precision as ms
          from delivery where done and hook_id <> ${hanging ? stage.hookIds[0] : newId()})
      select percentile_cont(0.5) within group (order by ms) p50, percentile_cont(0.95) within group (order by ms) p95,
             percentile_cont(0.99) within group (order by ms) p99 from took`);
    await hooks.close(100);
    await stage.close();
    const { p50, p95, p99 } = rows[0]!;
    stdout.write(`\n${offered}/s for ${seconds} s${hanging ? ', one hook of fifty hanging' : ''}
  commit to answer: p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms
  statements per delivery: ${statements.toFixed(3)}\n`);
  }
}

/** A claim while a million deliveries wait on one hook that has no free slot. */
async function claimAmongMany(): Promise<void> {
  const stage = await openHookStage();
  const { pool, hookIds, devices } = stage;
  await pool.query(sql`
    insert into delivery (id, hook_id, organization_id, application_id, device_id, event, state, queued_at, next_attempt_at,
                          max_attempts, payload, created_at, updated_at)
    select gen_random_uuid(), ${hookIds[0]}, ${devices[0]!.organizationId}, ${newId()}, ${devices[0]!.id}, 'record',
           'pending', now(), now() - interval '1 minute', 2, '{}', now(), now()
      from generate_series(1, 1000000) n`);
  await pool.query(sql`
    insert into delivery_lease (hook_id, id, claim_id, locked_until)
    select hook_id, id, id, 'infinity' from delivery_open limit 8`);
  await pool.query('analyze delivery');
  const client = await pool.connect();
  for (const setting of dispatcherSession.split('-c ').filter(Boolean)) {
    const [name, value] = setting.trim().split('=') as [string, string];
    await client.query(sql`select set_config(${name}, ${value}, false)`);
  }
  const hooks = stage.hooks();
  const took: number[] = [];
  for (let round = 0; round < 30; round++) {
    await stage.store(hooks, 50);
    const { text, values } = claimQuery({ claimId: newId(), limit: 256, now: Date.now() });
    const begun = performance.now();
    await client.query({ name: 'claim', text, values });
    took.push(performance.now() - begun);
    await pool.query(sql`
      with mine as (delete from delivery_lease where locked_until < 'infinity' returning hook_id, id)
      delete from delivery_open d using mine m where d.hook_id = m.hook_id and d.id = m.id`);
  }
  client.release();
  await stage.close();
  stdout.write(`\nClaim of 49 deliveries while 1,000,000 wait on a saturated hook: ${median(took).toFixed(1)} ms\n`);
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
