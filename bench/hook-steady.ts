import { stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { Pool } from 'undici';
import { startReceiver } from './hook-stage.js';
import { openStage, type Stage } from './stage.js';

/** Offered load in records per second, its duration and warm-up in seconds, and the records per call. */
const offered = 1000;
const seconds = 20;
const warmUp = 5;
const batch = 10;
const hooks = 50;

/**
 * Measures a steady load over HTTP: the time from the ingestion call to the receiver's answer, for all hooks except the
 * one that hangs, if any.
 */
export async function steady(hanging: boolean): Promise<void> {
  const [receiver, origin] = await startReceiver();
  const stage = await openStage({ HOOK_ALLOW_CIDRS: '127.0.0.0/8', HOOK_TIMEOUT: '10s' });
  const client = new Pool(new URL(stage.base).origin, { connections: 16 });
  try {
    const call = caller(stage, client);
    const stuck = await furnish(call, stage, (index) => `${origin}/${hanging && index === 0 ? 'hang' : index}`);
    // A new process runs code that is not yet compiled.
    await offer(call, stage, warmUp);
    const before = await transactions(stage);
    const begun = Date.now();
    await offer(call, stage, seconds);
    await pause(2000);
    const perDelivery = ((await transactions(stage)) - before) / (offered * seconds);
    const { rows } = await stage.pool.query<Record<'p50' | 'p95' | 'p99' | 'count', number>>(sql`
      with took as (
        select extract(epoch from (attempts -> 0 ->> 'at')::timestamptz) * 1000
               + (attempts -> 0 -> 'duration' ->> 'total')::double precision
               - sent as ms, sent
          from delivery cross join lateral (
            select (payload -> 'record' -> 'metadata' ->> 'sent')::double precision sent) s
         where done and hook_id <> ${hanging ? stuck : stage.organizationId}),
      counted as (select ms from took where sent >= ${begun})
      select percentile_cont(0.5) within group (order by ms) p50, percentile_cont(0.95) within group (order by ms) p95,
             percentile_cont(0.99) within group (order by ms) p99, count(*)::int count from counted`);
    const { p50, p95, p99, count } = rows[0]!;
    stdout.write(`\n${offered}/s for ${seconds} s${hanging ? ', one hook of fifty hanging' : ''} (${count} delivered)
  ingest call to answer: p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms
  transactions per delivery, ingestion and polling included: ${perDelivery.toFixed(3)}\n`);
  } finally {
    receiver.kill();
    await client.destroy();
    await stage.close();
  }
}

type Call = (method: 'POST' | 'PUT', path: string, body: object) => Promise<{ id: string }>;

const caller =
  ({ token }: Stage, client: Pool): Call =>
  async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await client.request({ method, path: `/ddp/v1${path}`, headers, body: JSON.stringify(body) });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(text);
    return (text === '' ? {} : JSON.parse(text)) as { id: string };
  };

const serialOf = (index: number) => (0x1000 + index).toString(16);

/** Creates one application per hook, with a device and a hook each. Returns the first hook's identifier. */
async function furnish(call: Call, { organizationId }: Stage, urlOf: (index: number) => string): Promise<string> {
  const ids: string[] = [];
  for (let index = 0; index < hooks; index++) {
    const application = await call('POST', `/organizations/${organizationId}/applications`, { name: `Bench ${index}` });
    const device = await call('POST', `/organizations/${organizationId}/devices/${serialOf(index)}`, {});
    const path = `/applications/${organizationId}/${application.id}`;
    await call('PUT', `${path}/devices/${device.id}`, {});
    ids.push((await call('POST', `${path}/hooks`, { url: urlOf(index) })).id);
  }
  return ids[0]!;
}

/** Posts records at the offered rate, without waiting for the answers of earlier calls. */
async function offer(call: Call, { organizationId }: Stage, forSeconds: number): Promise<void> {
  const begun = performance.now();
  const calls: Promise<unknown>[] = [];
  for (let sent = 0; sent < offered * forSeconds; sent += batch) {
    const records = Array.from({ length: batch }, (_, index) => ({
      serial: serialOf((sent + index) % hooks),
      metadata: { rssi: -90, snr: 7.5, provider: 'lora', sent: Date.now() },
      data: { temperature: 21.5, humidity: 40, battery: 3.61 },
    }));
    calls.push(call('POST', `/organizations/${organizationId}/records`, records));
    await pause(Math.max(0, begun + ((sent + batch) * 1000) / offered - performance.now()));
  }
  await Promise.all(calls);
}

/** Returns the number of transactions that the database has committed. Each of the dispatcher's statements is one. */
async function transactions({ pool }: Stage): Promise<number> {
  // Sessions report their statistics with a delay of up to a second.
  await pause(1500);
  const { rows } = await pool.query<{ count: number }>(
    sql`select xact_commit::double precision count from pg_stat_database where datname = current_database()`,
  );
  return rows[0]!.count;
}
