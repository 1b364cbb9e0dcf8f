import { stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import sql from 'sql-template-tag';
import { Pool } from 'undici';
import { AccountType } from '#entities/enums.js';
import { createAccount } from '#operator/account.js';
import { createToken } from '#operator/token.js';
import { type Row, report, timed } from './figures.js';
import { type BenchFleet, furnish, nextItem } from './fleet.js';
import { openStage, type Stage } from './stage.js';

const [devices, batches, batchSize, clients] = [200, 60, 1000, 4];
/** Number of devices under the silence rule. */
const silent = 100_000;
/** Number of silence polls that are averaged. One runs every two seconds. */
const polls = 10;

/** An organization with its fleet. */
interface Tenant {
  stage: Stage;
  fleet: BenchFleet;
}

/**
 * Compares ingestion with no, 10 and 100 comparison rules, in turn; measures a silence poll over 100,000 devices; and
 * measures single posts of one organization, alone and while another organization has 100 rules with slow queries.
 * `--rounds N` (5).
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { rounds: { type: 'string', default: '5' } } });
  const stage = await openStage({ RATE_LIMIT: '0' });
  try {
    await ingestion(stage, Number(values.rounds));
    await besideSlowRules(stage, Number(values.rounds));
    await silence(stage);
  } finally {
    await stage.close();
  }
}

async function ingestion(stage: Stage, rounds: number): Promise<void> {
  const rows: Row[] = [];
  const tenants: Tenant[] = [];
  for (const rules of [0, 10, 100]) {
    const tenant = await tenantOf(stage, `rules-${rules}`);
    for (let index = 0; index < rules; index++) await addRule(tenant, comparison(index));
    tenants.push(tenant);
    rows.push({ name: `${rules} rules`, figures: [], ...(rows[0] && { against: rows[0] }) });
  }
  // The first round only warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const [index, tenant] of tenants.entries()) {
      const rate = await postBatches(tenant);
      if (round > 0) rows[index]!.figures.push(rate);
    }
    stdout.write('.');
  }
  report(`Batches of ${batchSize}, ${clients} clients`, 'records/s', rows);
}

/** Returns a rule that no record of the fleet meets, which is the common case. */
const comparison = (index: number): object => ({
  name: `Rule ${index}`,
  kind: 'threshold',
  when: {
    all: [
      { variable: 'temperature', operator: 'gt', value: 40 + index },
      { variable: 'humidity', operator: 'gt', value: 90 },
    ],
  },
});

async function besideSlowRules(stage: Stage, rounds: number): Promise<void> {
  const quick = await tenantOf(stage, 'quick');
  const slow = await tenantOf(stage, 'slow');
  const query = { regexp: { 'data.status': '(e|r|o|k|.)*(r|k).*(o|.)*' } };
  const alone: Row = { name: 'alone', figures: [] };
  const beside: Row = { name: 'beside 100 rules of slow queries', figures: [], against: alone };
  for (let round = 0; round < rounds; round++) alone.figures.push(await postSingles(quick));
  for (let index = 0; index < 100; index++)
    await addRule(slow, { name: `Slow ${index}`, kind: 'threshold', when: { query } });
  let over = false;
  const sending = Array.from({ length: clients }, async () => {
    while (!over) await post(slow, batchSize).catch(() => undefined);
  });
  for (let round = 0; round < rounds; round++) beside.figures.push(await postSingles(quick));
  over = true;
  await Promise.all(sending);
  report('A post of one record, 99th percentile', 'ms', [alone, beside]);
}

/** Returns the 99th percentile of 300 consecutive posts, in milliseconds. */
async function postSingles(tenant: Tenant): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < 300; index++) times.push(await timed(() => post(tenant, 1)));
  return times.toSorted((a, b) => a - b)[296]!;
}

async function silence(stage: Stage): Promise<void> {
  const { stage: of, fleet } = await tenantOf(stage, 'silent');
  const { organizationId } = of;
  await stage.pool.query(sql`
    insert into device (id, organization_id, serial, slug, created_at, updated_at)
    select gen_random_uuid(), ${organizationId}, lpad(to_hex(n), 12, '0'), 'd' || n, now(), now() from generate_series(1, ${silent}::int) n`);
  await stage.pool.query(sql`
    insert into application_device (organization_id, application_id, device_id, created_at)
    select organization_id, ${fleet.applicationId}, id, now() from device
     where organization_id = ${organizationId} and slug ~ '^d[0-9]+$' on conflict do nothing`);
  const made = await timed(() => addRule({ stage: of, fleet }, { name: 'Silent', kind: 'silence', silentFor: 3600 }));
  // Each device has just sent a record, and its check is due at a random time within the next hour.
  await stage.pool.query(sql`
    insert into alert_device (device_id, ts, arrived_at)
    select distinct device_id, now(), now() from alert_state on conflict (device_id) do update set arrived_at = now()`);
  await stage.pool.query(sql`update alert_state set due_at = now() + random() * interval '1 h'`);
  await stage.pool.query('vacuum analyze alert_state, alert_device');
  const before = await pollFigures(stage);
  await pause(polls * 2000);
  const after = await pollFigures(stage);
  const mean = ((after.sum - before.sum) / (after.count - before.count)) * 1000;
  stdout.write(
    `\nSilence of ${silent.toLocaleString('en')} devices: the rule is made in ${Math.round(made)} ms, a look takes ${mean.toFixed(1)} ms (mean of ${after.count - before.count})\n`,
  );
}

const pollFigures = async ({ base }: Stage): Promise<{ sum: number; count: number }> => {
  const text = await (await fetch(`${new URL(base).origin}/metrics`)).text();
  const of = (name: string) => Number(new RegExp(`^ddp_alert_poll_seconds_${name}\\S* (\\S+)$`, 'm').exec(text)?.[1]);
  return { sum: of('sum'), count: of('count') };
};

async function tenantOf(stage: Stage, username: string): Promise<Tenant> {
  const wanted = { username, email: `${username}@example.com` };
  const organizationId = await createAccount(stage.pool, AccountType.organization, wanted, new Date());
  const { token } = await createToken(stage.pool, { organizationId }, new Date());
  const own = { ...stage, organizationId, token };
  return { stage: own, fleet: await furnish(own, devices) };
}

const addRule = ({ stage, fleet }: Tenant, rule: object) =>
  send(stage, `applications/${stage.organizationId}/${fleet.applicationId}/alert-rules`, rule);

const post = ({ stage, fleet }: Tenant, count: number) =>
  send(
    stage,
    `organizations/${stage.organizationId}/records`,
    Array.from({ length: count }, () => nextItem(fleet)),
  );

async function send({ base, token }: Stage, path: string, body: object): Promise<void> {
  const answer = await fetch(`${base}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
}

/** Returns the records per second over all batches. */
async function postBatches({ stage, fleet }: Tenant): Promise<number> {
  const bodies = Array.from({ length: batches }, () =>
    JSON.stringify(Array.from({ length: batchSize }, () => nextItem(fleet))),
  );
  await stage.pool.query('checkpoint');
  const pool = new Pool(new URL(stage.base).origin, { connections: clients });
  const headers = { authorization: `Bearer ${stage.token}`, 'content-type': 'application/json' };
  const path = `${new URL(stage.base).pathname}/organizations/${stage.organizationId}/records`;
  const took = await timed(() =>
    Promise.all(
      Array.from({ length: clients }, async () => {
        for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
          const answer = await pool.request({ method: 'POST', path, headers, body });
          const text = await answer.body.text();
          if (answer.statusCode !== 200) throw new Error(text);
        }
      }),
    ),
  );
  await pool.close();
  return (batches * batchSize) / (took / 1000);
}
