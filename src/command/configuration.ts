import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { createGraphClient } from '#clients/configuration/client.js';
import { documentLimits, parseDocument, toYaml } from '#clients/configuration/document.js';
import { documentOf } from '#clients/configuration/export.js';
import { lineOf } from '#clients/configuration/plan.js';
import { applyDocument, type ConfigurationTarget } from '#clients/configuration/run.js';
import { readState } from '#clients/configuration/state.js';
import { readShell } from '#config/config.js';
import { addCommand, type OutputOptions } from './command.js';

interface ServiceOptions extends OutputOptions {
  url?: string;
  token?: string;
}

/** Adds `ddp export-configuration` and `ddp apply`, which read and write an organization as one document over HTTP. */
export function addConfigurationCommands(ddp: Command): void {
  const add = (name: string, description: string) =>
    addCommand(ddp, name, description)
      .option('--url <origin>', 'where the service is (default: ORIGIN)')
      .option('--token <token>', 'token of an owner (default: DDP_TOKEN or TOKEN)');
  add(
    'export-configuration',
    'Print products, applications, teams and hooks of an organization as YAML, or JSON with --json.',
  )
    .option('--devices', 'and its devices')
    .action(exportConfiguration);
  add('apply <file>', 'Change an organization to match a file that export-configuration wrote; - reads standard input.')
    .option('--prune', 'remove what the file does not name, of the sections that it has')
    .option('--dry-run', 'print what would be done and what is wrong, and change nothing')
    .action(apply);
}

const connect = async ({ url, token }: ServiceOptions): Promise<ConfigurationTarget> => {
  const shell = readShell();
  const origin = url ?? shell.origin;
  const given = token ?? shell.token;
  if (origin === undefined) throw new Error('Say where the service is: --url, or ORIGIN.');
  if (given === undefined) throw new Error('Give the token of an owner: --token, or DDP_TOKEN.');
  const graph = createGraphClient(origin.replace(/\/$/, ''), given);
  const { account } = await graph.ask<{ account: { id: string } }>('{ account { id } }', {});
  return { graph, organizationId: account.id };
};

async function exportConfiguration({ json, devices, ...given }: ServiceOptions & { devices?: boolean }): Promise<void> {
  const { graph, organizationId } = await connect(given);
  const document = documentOf(await readState(graph, organizationId, { devices: devices === true, members: false }));
  process.stdout.write(json ? `${JSON.stringify(document, undefined, 2)}\n` : await toYaml(document));
}

interface ApplyOptions extends ServiceOptions {
  prune?: boolean;
  dryRun?: boolean;
}

async function apply(file: string, { json, prune, dryRun, ...given }: ApplyOptions): Promise<void> {
  const wanted = await parseDocument(await readDocument(file), extname(file) === '.json');
  const { plan, done, faults, warnings } = await applyDocument(await connect(given), wanted, {
    prune: prune === true,
    dryRun: dryRun === true,
    onPlan({ steps }) {
      if (!json) process.stdout.write(steps.length === 0 ? 'Nothing to do.\n' : `${steps.map(lineOf).join('\n')}\n`);
    },
    onWait: () => void process.stderr.write('Another tool changes this configuration: waiting for its end.\n'),
  });
  const { steps } = plan;
  if (json)
    process.stdout.write(`${JSON.stringify({ plan: steps.map(lineOf), applied: !dryRun, faults, warnings })}\n`);
  else if (!dryRun && steps.length > 0) process.stdout.write(`Done: ${done} of ${steps.length}.\n`);
  if (!json) for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

async function readDocument(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  const { size } = await stat(file);
  if (size > documentLimits.bytes) throw new Error(`${file} has more than ${documentLimits.bytes / 2 ** 20} MiB.`);
  return readFile(file, 'utf8');
}
