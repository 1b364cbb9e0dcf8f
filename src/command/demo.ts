import type { Command } from 'commander';
import { requireOrganization, requireService } from '#clients/demo/api.js';
import { runDemo } from '#clients/demo/demo.js';
import { endFleet, runFleet } from '#clients/demo/fleet/fleet.js';
import { report, reportFleet } from '#clients/demo/report.js';
import { type Config, readEnvironment, readShell } from '#config/config.js';
import { createFirstUsers } from '#operator/first-users.js';
import { createDemoToken, revokeToken } from '#operator/token.js';
import { addCommand, type OutputOptions } from './command.js';
import { withDatabase } from './workplace.js';

interface DemoOptions extends OutputOptions {
  url?: string;
  token?: string;
  organization?: string;
  fleet?: boolean;
  once?: boolean;
  remove?: boolean;
}

/** Adds `ddp demo`. */
export function addDemoCommand(ddp: Command): void {
  addCommand(ddp, 'demo', 'Demonstrate a running service over HTTP, from an uplink to a hook call.')
    .option('--url <origin>', 'where the service is (default: ORIGIN, else where these settings would start it)')
    .option('--token <token>', 'token of an owner (default: DDP_TOKEN or TOKEN, else a temporary one)')
    .option('--organization <id>', 'organization of the token (default: ORGANIZATION, else "demo")')
    .option('--fleet', 'fill the organization with 44 devices and a week of records, then send on until Ctrl+C')
    .option('--once', 'with --fleet: end once the week is stored')
    .option('--remove', 'with --fleet: delete the fleet, its records, applications and hooks')
    .addHelpText('after', '\nWith DATABASE_URL the service must run with HOOK_ALLOW_CIDRS=127.0.0.0/8.')
    .action(demo);
}

async function demo({ json, fleet, once, remove, ...given }: DemoOptions): Promise<void> {
  if (!fleet && (once || remove)) throw new Error('--once and --remove belong to --fleet.');
  const shell = readShell();
  const origin = (given.url ?? shell.origin ?? originOf(readEnvironment(false))).replace(/\/$/, '');
  const target = {
    origin,
    token: given.token ?? shell.token,
    organizationId: given.organization ?? shell.organization,
  };
  // Steps are printed for people. With --json, stdout has only the output.
  const tell = (step: string) => void (json ? process.stderr : process.stdout).write(`${step}\n`);
  // Checked first: without a service, no token and no database to create it in are needed.
  await requireService(origin);
  if (fleet && remove) {
    const devices = await withToken(target, (token) => endFleet(origin, token));
    process.stdout.write(json ? `${JSON.stringify({ devices })}\n` : `The fleet of ${devices} devices is removed.\n`);
    return;
  }
  if (fleet) {
    const until = once ? undefined : interrupted();
    const made = await withToken(target, (token) => runFleet(origin, token, tell, { now: Date.now, until }));
    process.stdout.write(json ? `${JSON.stringify(made)}\n` : reportFleet(origin, made));
    return;
  }
  const seen = await withToken(target, (token) => runDemo(origin, token, tell));
  process.stdout.write(json ? `${JSON.stringify(seen)}\n` : report(seen));
}

/** Returns a signal that Ctrl+C or a SIGTERM aborts, so that the work ends in order. */
function interrupted(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  return stop.signal;
}

/** The service and organization of the demonstration. */
interface Target {
  origin: string;
  token: string | undefined;
  organizationId: string | undefined;
}

/**
 * Runs work with the given token. Without one, it creates a token as an operator would, with two users, and revokes it
 * afterwards.
 */
async function withToken<T>(
  { origin, token: given, organizationId }: Target,
  work: (token: string) => Promise<T>,
): Promise<T> {
  if (given !== undefined) {
    await requireOrganization(origin, given, organizationId);
    return work(given);
  }
  return withDatabase(async ({ pool, now }) => {
    const { id, token } = await createDemoToken(pool, now, organizationId);
    await createFirstUsers(pool, now);
    try {
      return await work(token);
    } finally {
      await revokeToken(pool, id, now);
    }
  });
}

function originOf({ host, port }: Config): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
