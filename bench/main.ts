import { stdout } from 'node:process';

/** The benches by name. Each prints ratios to a baseline. */
const benches: Readonly<Record<string, () => Promise<{ run(args: readonly string[]): Promise<void> }>>> = {
  alerts: () => import('./alerts.js'),
  audit: () => import('./audit.js'),
  blocks: () => import('./blocks.js'),
  cluster: () => import('./cluster.js'),
  commands: () => import('./commands.js'),
  console: () => import('./console.js'),
  export: () => import('./export.js'),
  faults: () => import('./faults.js'),
  import: () => import('./import.js'),
  graph: () => import('./graph.js'),
  groups: () => import('./groups.js'),
  hooks: () => import('./hooks.js'),
  live: () => import('./live.js'),
  memory: () => import('./memory.js'),
  mqtt: () => import('./mqtt.js'),
  neighbours: () => import('./neighbours.js'),
  ingest: () => import('./ingest.js'),
  rest: () => import('./rest.js'),
  screens: () => import('./screens.js'),
  search: () => import('./search.js'),
  sizing: () => import('./sizing.js'),
  standby: () => import('./standby.js'),
  stores: () => import('./stores.js'),
  tools: () => import('./tools.js'),
  traces: () => import('./traces.js'),
  typed: () => import('./typed.js'),
  upgrade: () => import('./upgrade.js'),
  workers: () => import('./workers.js'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = benches[name];
if (load) await (await load()).run(args);
else {
  stdout.write(`npm run bench -- ${Object.keys(benches).join('|')}\n`);
  process.exitCode = 1;
}
