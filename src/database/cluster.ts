import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '#common/log.js';
import { keepSecret } from '#common/secret-file.js';
import { findPrograms } from './programs.js';
import { canEnter, findServerUser, type ServerUser, userOption } from './server-user.js';

/** The files of the embedded server, and what is needed to run it. */
export interface Cluster {
  /** The data folder: absolute, without symbolic links. */
  data: string;
  /** PostgreSQL's folder `bin`. */
  bin: string;
  /** User that runs the server; undefined for the user of this process. */
  user: ServerUser | undefined;
  /** Password of its only role. */
  password: string;
  /** Path of the server's log. */
  logFile: string;
}

/** The only role of the embedded server. */
export const ROLE = 'ddp';

/** File in the data folder with the digest of the password that opens it. */
const OWNER_FILE = 'ddp.owner';

/**
 * Finds the embedded server of a data folder, and creates it on first use. Its data are in `postgres` there. If the
 * server's user cannot enter that folder, they are in `/var/lib/ddp-<hash>`, and stay there even if the folder becomes
 * accessible later. `postgres.path` names the actual folder. Several processes may call this at once.
 */
export async function prepareCluster(dataDir: string, log: Log, durable = true): Promise<Cluster> {
  await mkdir(dataDir, { recursive: true });
  const root = await realpath(dataDir);
  const usual = join(root, 'postgres');
  const elsewhere = `/var/lib/ddp-${digest(root).slice(0, 12)}`;
  const user = await findServerUser([usual, elsewhere]);
  const programs = await findPrograms(user);
  const password = await keepSecret(join(root, 'postgres.key'));
  const isElsewhere = !(await exists(join(usual, 'PG_VERSION'))) && (await ownerOf(elsewhere)) === digest(password);
  const data = isElsewhere || !(await canUse(usual, root, user)) ? elsewhere : usual;
  const cluster = { data, bin: join(programs.folder, 'bin'), user, password, logFile: join(root, 'postgres.log') };
  await putForeignAside(cluster, log);
  await writeFile(join(root, 'postgres.path'), `${data}\n`);
  const release = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (release === undefined) await initialize(cluster, log, durable);
  else if (Number(release) !== programs.major) throw otherRelease(data, release.trim(), programs.major);
  return cluster;
}

/**
 * Creates the error for data of another major version, which PostgreSQL cannot read; every version can restore a
 * backup.
 */
const otherRelease = (data: string, release: string, ours: number): Error =>
  new Error(
    `The database in ${data} is of PostgreSQL ${release}, and this release comes with PostgreSQL ${ours}. With the release that ran it before, run "ddp backup FILE"; with this one, name a new DATA_DIR, run "ddp restore FILE", and copy secret.key there.`,
  );

async function canUse(usual: string, root: string, user: ServerUser | undefined): Promise<boolean> {
  if (user === undefined || canEnter(user, root)) return true;
  if (await exists(join(usual, 'PG_VERSION'))) {
    throw new Error(
      `The database in ${usual} belongs to the user ${user.name}, who cannot enter ${root}. Open the folders above it to that user, or set DATA_DIR.`,
    );
  }
  return false;
}

/**
 * Renames a data folder that another key opens: a deleted DATA_DIR of the same name left it. Nothing is deleted. The
 * new name is derived from the digest of the other key, so only one of two processes can rename the folder.
 */
async function putForeignAside({ data, password }: Cluster, log: Log): Promise<void> {
  const owner = await ownerOf(data);
  if (owner === undefined || owner === digest(password)) return;
  const aside = `${data}.${owner.slice(0, 12)}`;
  await rename(data, aside).then(
    () => log.warn({ data, aside }, 'Database of an earlier DATA_DIR moved aside, because its key is gone'),
    () => undefined,
  );
}

/** Creates the data in a temporary folder and renames it, so that the data folder is always complete. */
async function initialize(cluster: Cluster, log: Log, durable: boolean): Promise<void> {
  const { data, user, password } = cluster;
  const partial = `${data}.${randomBytes(6).toString('hex')}`;
  const passwordFile = `${partial}.key`;
  log.info({ data, user: user?.name }, 'Creating a database');
  try {
    await mkdir(partial, { mode: 0o700 });
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (user !== undefined) for (const path of [partial, passwordFile]) await chown(path, user.uid, user.gid);
    await initdb(cluster, partial, passwordFile, durable);
    await writeFile(join(partial, OWNER_FILE), digest(password));
    await chmod(join(partial, OWNER_FILE), 0o644);
    await rename(partial, data);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // Another process has created it first.
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  } finally {
    await rm(passwordFile, { force: true });
    await rm(partial, { recursive: true, force: true });
  }
}

async function initdb({ bin, user }: Cluster, data: string, passwordFile: string, durable: boolean): Promise<void> {
  const args = ['-D', data, '-U', ROLE, '--pwfile', passwordFile, '--auth=scram-sha-256', '--encoding=UTF8'];
  args.push('--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions');
  if (!durable) args.push('--no-sync');
  const child = spawn(join(bin, 'initdb'), args, {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
    ...userOption(user),
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`The embedded PostgreSQL could not make its database in ${data}. ${said.trim()}`);
}

/** Reads the digest of the password that opens a data folder. Returns undefined if it cannot be read. */
const ownerOf = (data: string): Promise<string | undefined> =>
  readFile(join(data, OWNER_FILE), 'utf8').catch(() => undefined);

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
