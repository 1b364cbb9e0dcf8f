/**
 * Installs one of our packages that only some scripts need, unless the installed copy is newer than its
 * package-lock.json: `node tools/install.js tools` or `test/compatibility`. npm scripts run this file and set
 * npm_execpath, so that npm runs under the same Node.js.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL(`../${process.argv[2]}/`, import.meta.url));
const changedAt = (path) => statSync(`${cwd}${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;

// npm writes this file last.
if (changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json')) {
  const npm = process.env.npm_execpath;
  if (npm === undefined) throw new Error('Run this by the npm script that needs it.');
  const { status } = spawnSync(process.execPath, [npm, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
