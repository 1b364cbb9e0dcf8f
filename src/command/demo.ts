import { type Command, Option } from 'commander';
import { type Config, readEnvironment } from '../config.js';
import { runDemo } from '../demo/demo.js';
import { report } from '../demo/report.js';
import { createDemoToken, revokeToken } from '../operator/token.js';
import { addCommand, type OutputOptions } from './command.js';
import { withDatabase } from './workplace.js';

interface DemoOptions extends OutputOptions {
  url?: string;
  token?: string;
}

/** `ddp demo` */
export function addDemoCommand(ddp: Command): void {
  addCommand(ddp, 'demo', 'Show the road from a device to a customer on a running service, over HTTP.')
    .option('--url <origin>', 'where the service is (default: where these settings would start it)')
    .addOption(new Option('--token <token>', 'token of an owner; without one it is made for the time').env('DDP_TOKEN'))
    .addHelpText('after', '\nWith DATABASE_URL the service must run with HOOK_ALLOW_CIDRS=127.0.0.0/8.')
    .action(demo);
}

async function demo({ url, token, json }: DemoOptions): Promise<void> {
  const origin = (url ?? originOf(readEnvironment(false))).replace(/\/$/, '');
  // Steps are for who watches; with --json stdout is the answer's alone.
  const tell = (step: string) => void (json ? process.stderr : process.stdout).write(`${step}\n`);
  const seen = await withToken(token, (known) => runDemo(origin, known, tell));
  process.stdout.write(json ? `${JSON.stringify(seen)}\n` : report(seen));
}

/** A token that was not given is made as an operator would make it, and revoked afterwards. */
async function withToken<T>(given: string | undefined, work: (token: string) => Promise<T>): Promise<T> {
  if (given !== undefined) return work(given);
  return withDatabase(async ({ pool, now }) => {
    const { id, token } = await createDemoToken(pool, now);
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
