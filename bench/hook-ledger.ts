import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import sql from 'sql-template-tag';
import { dayMs } from '#common/time.js';
import { namedStatement } from '#database/named-statement.js';
import { createPool } from '#database/pools.js';
import { newId } from '#entities/id.js';
import { claimQuery } from '#hooks/claim.js';
import { dispatcherSession } from '#hooks/hooks.js';
import { makePartitions } from '#hooks/housekeeping.js';
import { median, progress } from './figures.js';
import { openStage, type Stage } from './stage.js';

/** `days`: days over which the deliveries are spread. `step`: rows per insert statement. */
const days = 30;
const step = 100_000;
/** Number of hooks and of their devices. The first hook has half of all deliveries, and one in a thousand failed. */
const hooks = 20;
const devices = 1000;
/** Number of deliveries that wait on one further hook, which has no free slot. */
const waiting = 1_000_000;

const payload = JSON.stringify({
  record: {
    ts: 1795280281.049,
    metadata: { rssi: -90, snr: 7.5, provider: 'lora' },
    data: { temperature: 21.5, battery: 3.61 },
  },
  device: { id: newId(), serial: '1000', organizationId: newId(), product: { id: newId(), organizationId: newId() } },
  application: { id: newId(), organizationId: newId() },
});

/**
 * Measures lists, a single delivery and a claim while the ledger holds millions of deliveries. Times are in
 * milliseconds, over HTTP.
 */
export async function ledger(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { rows: { type: 'string', default: '10000000' }, kept: { type: 'string' } },
  });
  const stage = await openStage({}, values.kept);
  try {
    await measure(stage, await furnish(stage, Number(values.rows)));
  } finally {
    await stage.close();
  }
}

/** The objects of the measured requests: the hook with half of all deliveries, and one of its devices. */
interface Furnished {
  count: number;
  /** Time at which the deliveries were created, in milliseconds since 1970. */
  now: number;
  hook: string;
  deviceId: string;
}

/** Creates the deliveries, or finds those that an earlier run has left. */
async function furnish(stage: Stage, count: number): Promise<Furnished> {
  const { organizationId, pool } = stage;
  await pool.query('create table if not exists bench_ledger (furnished json)');
  const { rows: left } = await pool.query<{ furnished: Furnished }>('select furnished from bench_ledger');
  if (left[0]) return left[0].furnished;
  const post = async (path: string, body: object) => (await ask(stage, 'POST', path, body)) as { id: string };
  const { id: applicationId } = await post(`/organizations/${organizationId}/applications`, { name: 'Ledger' });
  const path = `/applications/${organizationId}/${applicationId}/hooks`;
  const hookIds: string[] = [];
  for (let index = 0; index < hooks; index++)
    hookIds.push((await post(path, { url: 'https://example.org/', disabled: true })).id);
  const { id: saturated } = await post(path, { url: 'https://example.org/' });
  const deviceIds = Array.from({ length: devices }, newId);
  const now = Date.now();
  for (let back = 0; back < days + 3; back += 3) await makePartitions(pool, now - back * dayMs);
  for (let made = 0; made < count; made += step) {
    progress(made, count);
    const rows = Math.min(step, count - made);
    await pool.query(sql`
      insert into delivery_done (id, hook_id, organization_id, application_id, device_id, record_id, event, ts, state, done,
                                 queued_at, next_attempt_at, attempts_made, max_attempts, payload, request, response, attempts,
                                 created_at, updated_at)
      select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || right(replace(gen_random_uuid()::text, '-', ''), 19))::uuid,
             (${hookIds}::uuid[])[case when n % 2 = 0 then 1 else 2 + n % ${hooks - 1} end], ${organizationId}, ${applicationId},
             (${deviceIds}::uuid[])[1 + (n * 7919) % ${devices}], gen_random_uuid(), 'record', at,
             case when n % 1000 = 0 then 'failed' else 'succeeded' end, true, at, at, 1, 10,
             ${payload}::json,
             '{"method":"POST","headers":{"content-type":"application/json"},"uri":{"href":"https://example.org/"}}',
             '{"statusCode":200,"headers":{"content-length":"2"},"body":"ok"}',
             '[{"at":"2026-11-21T16:58:01.881Z","duration":{"read":0.8,"wait":26.8,"total":63.2,"connect":35.7},"statusCode":200}]',
             at, at
        from (select n, to_timestamp(${now / 1000}::double precision - ${days} * 86400.0 * (1 - n::double precision / ${count})) at
                from generate_series(${made}::bigint, ${made + rows - 1}::bigint) n) r`);
  }
  progress(count, count);
  await pool.query(sql`
    insert into delivery_lease (hook_id, id, claim_id, locked_until)
    select ${saturated}, gen_random_uuid(), gen_random_uuid(), 'infinity' from generate_series(1, 8)`);
  await pool.query(sql`
    insert into delivery_open (id, hook_id, organization_id, application_id, device_id, event, ts, state, queued_at,
                               next_attempt_at, max_attempts, payload, created_at, updated_at)
    select gen_random_uuid(), ${saturated}, ${organizationId}, ${applicationId}, ${deviceIds[0]}, 'record', now(), 'pending',
           now(), now() - interval '1 minute', 10, ${payload}::json, now(), now()
      from generate_series(1, ${waiting}::integer)`);
  for (const table of ['delivery_done', 'delivery_open']) await pool.query(`vacuum analyze ${table}`);
  const furnished = { count, now, hook: `${path}/${hookIds[0]}`, deviceId: deviceIds[(2 * 7919) % devices]! };
  await pool.query(sql`insert into bench_ledger values (${JSON.stringify(furnished)}::json)`);
  return furnished;
}

async function measure(stage: Stage, { count, now, hook, deviceId }: Furnished): Promise<void> {
  const listed = (await ask(stage, 'GET', `${hook}/deliveries`)) as { id: string }[];
  const [from, to] = [(now - 20 * dayMs) / 1000, (now - 19 * dayMs) / 1000];
  stdout.write(
    `\n${count.toLocaleString('en')} deliveries, half of them one hook's; milliseconds over HTTP, medians\n`,
  );
  for (const [name, query] of [
    ['list', '/deliveries'],
    ['list, 100 a page, page 50', '/deliveries?limit=100&page=50'],
    ['ledger, successful=false', '/ledger?successful=false'],
    ['ledger, successful=true', '/ledger?successful=true'],
    ['ledger, deviceId', `/ledger?deviceId=${deviceId}`],
    ['ledger, deviceId, successful=true', `/ledger?deviceId=${deviceId}&successful=true`],
    ['ledger, deviceId, successful=false', `/ledger?deviceId=${deviceId}&successful=false`],
    ['ledger, from, to (a day, 20 days ago)', `/ledger?from=${from}&to=${to}`],
    ['ledger, to (19 days ago)', `/ledger?to=${to}`],
    ['ledger, all four', `/ledger?successful=false&deviceId=${deviceId}&from=${from}&to=${to}`],
    ['one delivery', `/deliveries/${listed[0]!.id}`],
  ] as const) {
    await report(name, () => ask(stage, 'GET', `${hook}${query}`));
  }
  const [, , organizationId, applicationId] = hook.split('/');
  const query = `{ application(organizationId: "${organizationId}", applicationId: "${applicationId}") {
    deliveries(limit: 20) { totalCount items { id successful } } } }`;
  await report('GraphQL, deliveries of all hooks', () => ask(stage, 'POST', '/../../graphql', { query }));
  const dispatcher = createPool(stage.connectionString, { max: 1, session: dispatcherSession });
  await report(`claim while ${waiting.toLocaleString('en')} wait on a hook without a free slot`, () =>
    dispatcher.query(
      namedStatement(
        'claim',
        claimQuery({ claimId: newId(), limit: 500, now: Date.now(), free: 1000, underWay: new Map() }),
      ),
    ),
  );
  await dispatcher.end();
}

async function report(name: string, work: () => Promise<unknown>): Promise<void> {
  const took: number[] = [];
  for (let round = 0; round < 7; round++) {
    const begun = performance.now();
    await work();
    took.push(performance.now() - begun);
  }
  stdout.write(`  ${name.padEnd(44)} ${median(took).toFixed(1)} (first ${took[0]!.toFixed(1)})\n`);
}

async function ask({ base, token }: Stage, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text) as unknown;
}
