import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** All that a migrated server follows from, below the folder of the project. */
const sources = ['dist/migrations/*.js', 'dist/src/database/*.js', 'dist/test/support/server.js', 'package-lock.json'];

/**
 * Returns the folder of a stopped server below `parent`, which `make` has made from the sources as they are now. Runs at
 * the same time may each make one: the first stays, and nobody changes it. Returns undefined if the server has its data
 * outside of the folder, because PostgreSQL's user cannot enter it.
 */
export async function keepCluster(
  parent: string,
  make: (dataDir: string) => Promise<void>,
): Promise<string | undefined> {
  const digest = await digestOf(sources);
  const kept = join(parent, digest);
  if (await exists(kept)) return kept;
  const made = await temporaryFolder();
  const partial = `${kept}.${process.pid}`;
  try {
    await make(made);
    if (!(await exists(join(made, 'postgres')))) return undefined;
    await mkdir(parent, { recursive: true });
    for (const name of await readdir(parent)) {
      if (!name.startsWith(digest)) await rm(join(parent, name), { recursive: true, force: true });
    }
    await copyFolder(made, partial);
    await rename(partial, kept).catch(async (error: unknown) => {
      if (!(await exists(kept))) throw error;
    });
    return kept;
  } finally {
    for (const folder of [made, partial]) await rm(folder, { recursive: true, force: true });
  }
}

/** Copies a folder with the owners and modes of its files, on which PostgreSQL insists. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await promisify(execFile)('cp', ['-a', `${from}/.`, to]);
}

/** Creates a folder that PostgreSQL's user can enter. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ddp-test-'));
  await chmod(folder, 0o755);
  return folder;
}

async function digestOf(patterns: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  const cwd = fileURLToPath(new URL('../../..', import.meta.url));
  const names = globSync(patterns, { cwd }).sort();
  for (const name of names) hash.update(name).update(await readFile(join(cwd, name)));
  return hash.digest('hex').slice(0, 16);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
