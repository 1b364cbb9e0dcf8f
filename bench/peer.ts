import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stdout } from 'node:process';

/** Installs another program to compare with, once and outside the repository. Returns its folder. */
export async function installPeer(name: string, version: string): Promise<string> {
  const folder = join(tmpdir(), 'ddp-peers', `${name}-${version}`);
  if (await stat(join(folder, 'node_modules', name)).catch(() => undefined)) return folder;
  stdout.write(`installing ${name} ${version} in ${folder}\n`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const npm = spawn('npm', ['install', '--no-audit', '--no-fund', `${name}@${version}`], {
    cwd: folder,
    stdio: 'inherit',
  });
  const [code] = (await once(npm, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${name} could not be installed.`);
  return folder;
}
