import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, setPriority } from 'node:os';
import { stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import sql from 'sql-template-tag';
import { AccountType } from '#entities/enums.js';
import { newId } from '#entities/id.js';
import { createAccount } from '#operator/account.js';
import { createToken } from '#operator/token.js';
import { attacks } from './attack.js';
import { type BenchFleet, furnish } from './fleet.js';
import { startReceiver } from './hook-stage.js';
import { type Measured, measure, type Quiet } from './neighbour-surface.js';
import { mostResident, resident } from './resident.js';
import { openStage, type Stage } from './stage.js';

/**
 * The attacker's resources: the devices that its deep pages reach, hooks with filters, and hooks whose receiver hangs.
 */
const [devices, filtering, hanging] = [60_000, 10, 90];

/**
 * Measures one tenant's 99th percentile on every surface, alone and while another organization runs every attack known
 * to delay others, and the service's memory. `neighbours 60` measures for 60 s each. Names of attacks after the seconds
 * run only these; `each` before the names runs them one after the other (without names, all); `alone` runs none.
 */
export async function run([given = '30', ...names]: readonly string[]): Promise<void> {
  const seconds = Number(given);
  const [receiver, receiving] = await startReceiver();
  const provider = await startSlowProvider();
  const stage = await openStage({
    // Each refused sign-in is a warning.
    LOG_LEVEL: 'error',
    OIDC_ISSUER: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
    OIDC_CLIENT_ID: 'ddp',
    OIDC_CLIENT_SECRET: 'only to attack',
    RATE_LIMIT: '500',
    TRUST_PROXY: '1',
    MQTT_PORT: '0',
    HOOK_ALLOW_CIDRS: '127.0.0.0/8',
  });
  try {
    const fleet = await furnish(stage, 5);
    const quiet = { stage, fleet, hookId: await addHook(stage, fleet, `${receiving}/quiet`) };
    const attacker = await furnishAttacker(stage, receiving);
    printMemory(stage, 'idle');
    // A new process runs code that is not yet compiled.
    await measure(quiet, 5);
    const alone = await measure(quiet, seconds);
    printMemory(stage, 'alone');
    if (names[0] === 'alone') return;
    if (names[0] === 'each') {
      const each = names.length > 1 ? names.slice(1) : Object.keys(attacks);
      for (const name of each) await attack(quiet, attacker, seconds, alone, [name]);
    } else await attack(quiet, attacker, seconds, alone, names);
    printMemory(stage, 'in all');
  } finally {
    receiver.kill();
    await stage.close();
    stdout.write(`the provider of sign-ins was asked ${asked} times\n`);
    provider.close();
    provider.closeAllConnections();
  }
}

/** Requests that the provider of sign-ins received. */
let asked = 0;

/** Starts a provider of sign-ins that answers after two seconds, and that it cannot. */
const startSlowProvider = async (): Promise<Server> => {
  const server = createServer((_request, response) => {
    asked += 1;
    setTimeout(() => response.writeHead(503).end(), 2000);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
};

/**
 * Lowers the attacker's share of the processors. In reality the attacker has a machine of its own, and its work costs
 * the service nothing.
 */
const yieldAll = ({ pid }: ChildProcess): void => {
  if (process.platform !== 'linux') return;
  setPriority(pid!, constants.priority.PRIORITY_LOW);
  writeFileSync(`/proc/${pid}/autogroup`, String(constants.priority.PRIORITY_LOW));
};

interface AttackerOrganization {
  origin: string;
  mqttUrl: string;
  organizationId: string;
  applicationId: string;
  serials: readonly string[];
  tokens: readonly string[];
}

async function attack(
  quiet: Quiet,
  attacker: AttackerOrganization,
  seconds: number,
  alone: Measured,
  names: readonly string[],
): Promise<void> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./attacker.js', import.meta.url)), ...names], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Linux shares processors among sessions. In the service's session, the attacker would take from the service's
    // share.
    detached: true,
  });
  yieldAll(child);
  try {
    child.send(attacker);
    await once(child, 'message');
    await pause(1000);
    print(names, alone, await measure(quiet, seconds));
  } finally {
    child.kill();
  }
  // The attacker's last requests are still being processed, and its deliveries would go out for minutes.
  await pause(5000);
  await forget(quiet.stage, attacker.organizationId);
}

/** Deletes an organization's pending deliveries. Retries when a delivery is settled meanwhile, which moves its row. */
const forget = async ({ pool }: Pick<Stage, 'pool'>, organizationId: string, tries = 10): Promise<void> => {
  try {
    await pool.query(sql`delete from delivery where organization_id = ${organizationId} and not done`);
  } catch (error) {
    if ((error as { code?: string }).code !== '40001' || tries === 1) throw error;
    await forget({ pool }, organizationId, tries - 1);
  }
};

const print = (names: readonly string[], alone: Measured, attacked: Measured): void => {
  stdout.write(`\nunder ${names.length === 0 ? 'all attacks at once' : names.join(', ')}\n`);
  for (const [surface, figures] of Object.entries(alone.latencies)) {
    const [before, after] = [percentile(figures), percentile(attacked.latencies[surface] ?? [])];
    stdout.write(
      `  ${surface.padEnd(16)} p99 alone ${before.toFixed(0).padStart(5)} ms, attacked ${after.toFixed(0).padStart(6)} ms, ${(after / before).toFixed(1).padStart(5)} times (median ${percentile(figures, 0.5).toFixed(0)} and ${percentile(attacked.latencies[surface] ?? [], 0.5).toFixed(0)} ms)\n`,
    );
  }
  stdout.write(`  /healthz at most ${alone.health.toFixed(0)} ms alone, ${attacked.health.toFixed(0)} ms attacked\n`);
  stdout.write(`  calls that failed: ${alone.failures.length} alone, ${attacked.failures.length} attacked\n`);
  for (const failure of new Set(attacked.failures.map((text) => text.slice(0, 120)))) stdout.write(`    ${failure}\n`);
};

const printMemory = ({ pid }: Stage, when: string) =>
  stdout.write(
    `resident memory ${when}: ${resident(pid).toFixed(0)} MiB, at most ${mostResident(pid).toFixed(0)} MiB\n`,
  );

const percentile = (figures: readonly number[], share = 0.99): number =>
  figures.toSorted((a, b) => a - b)[Math.ceil(figures.length * share) - 1] ?? Number.NaN;

async function addHook({ pool, organizationId }: Stage, { applicationId }: BenchFleet, url: string, filter?: object) {
  const id = newId();
  await pool.query(sql`insert into hook (id, organization_id, application_id, url, filter, created_at, updated_at)
    values (${id}, ${organizationId}, ${applicationId}, ${url}, ${filter ? JSON.stringify(filter) : null}, now(), now())`);
  return id;
}

async function furnishAttacker(stage: Stage, receiving: string): Promise<AttackerOrganization> {
  const { pool } = stage;
  const account = { username: 'attacker', email: 'attacker@example.com' };
  const organizationId = await createAccount(pool, AccountType.organization, account, new Date());
  const tokens: string[] = [];
  for (const _ of Object.keys(attacks)) tokens.push((await createToken(pool, { organizationId }, new Date())).token);
  const own = { ...stage, organizationId, token: tokens[0]! };
  const fleet = await furnish(own, 5);
  await pool.query(sql`insert into device (id, organization_id, serial, name, slug, created_at, updated_at)
    select gen_random_uuid(), ${organizationId}, 'serial-' || n, 'device ' || n, 'slug-' || n, now(), now()
      from generate_series(1, ${devices}::int) n`);
  await pool.query('vacuum analyze');
  const filter = { query: { regexp: { 'data.status': { value: '(a?){1,200}(a?){1,200}b' } } } };
  for (let index = 0; index < filtering; index += 1) await addHook(own, fleet, `${receiving}/${index}`, filter);
  for (let index = 0; index < hanging; index += 1) await addHook(own, fleet, `${receiving}/hang/${index}`);
  const { applicationId, serials } = fleet;
  return {
    origin: new URL(stage.base).origin,
    mqttUrl: stage.mqttUrl!,
    organizationId,
    applicationId,
    serials,
    tokens,
  };
}
