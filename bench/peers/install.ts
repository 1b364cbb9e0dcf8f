import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stdout } from 'node:process';

/** The compared packages, in the releases that the published figures were measured with. */
const dependencies = {
  fastify: '5.12.8',
  graphql: '16.15.0',
  mercurius: '16.10.1',
  pg: '8.23.0',
  postgraphile: '5.1.5',
};

/** Installs the packages once, outside the project, and returns their folder. Needs npm and its registry. */
export async function installPeers(): Promise<string> {
  const folder = join(tmpdir(), 'ddp-bench-peers');
  const lock = await readFile(join(folder, 'installed.json'), 'utf8').catch(() => '');
  const wanted = JSON.stringify({ private: true, dependencies });
  if (lock === wanted) return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), wanted);
  stdout.write(`Installing PostGraphile and Mercurius into ${folder}\n`);
  const npm = spawn('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
  });
  const [code] = (await once(npm, 'exit')) as [number | null];
  if (code !== 0) throw new Error('The peers could not be installed.');
  await writeFile(join(folder, 'installed.json'), wanted);
  return folder;
}
