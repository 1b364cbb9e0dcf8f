/**
 * Installs what only the tests of this folder need, where its package-lock.json is newer than what is installed. Run by
 * `npm run test:compatibility`, which sets npm_execpath: npm runs under the same Node.js as this.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('.', import.meta.url));
const changedAt = (path) => statSync(`${cwd}${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;

// npm writes this file last.
if (changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json')) {
  const npm = process.env.npm_execpath;
  if (npm === undefined) throw new Error('Run this by `npm run test:compatibility`.');
  const { status } = spawnSync(process.execPath, [npm, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
