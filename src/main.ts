#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// npm only warns about an older Node.js. Without this check, the first missing feature would fail inside a library.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(
    `ddp needs Node.js 24 or newer, and this is ${process.versions.node}. One is installed with it: run "npx ddp" where it is installed, or put its folder node_modules/.bin first in PATH.\n`,
  );
  process.exit(1);
}
// Compiled code is cached beside the program, so that a command starts in two thirds of the time.
module.enableCompileCache(fileURLToPath(new URL('../.compile-cache', import.meta.url)));
(await import('./config/config.js')).widenThreadPool();
const { run } = await import('./command/cli.js');
const { drainOutput } = await import('./command/output.js');

const code = await run(process.argv.slice(2));
// Anything still running after an orderly end would only delay the exit, except output that a pipe has not taken yet.
process.exit((await drainOutput()) ? code : 1);
