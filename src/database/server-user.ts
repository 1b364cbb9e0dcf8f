import { spawnSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';

/** An account of the operating system. */
export interface ServerUser {
  name: string;
  uid: number;
  gid: number;
}

/**
 * Finds the account that must run PostgreSQL; undefined for that of this process. PostgreSQL refuses root. So for root
 * it is the owner of existing data in one of the folders, else `postgres`, else `nobody`.
 */
export async function findServerUser(folders: readonly string[]): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = parsePasswd(await readFile('/etc/passwd', 'utf8'));
  const found = await Promise.all(folders.map((folder) => stat(folder).catch(() => undefined)));
  const owner = found.find((data) => data !== undefined && data.uid !== 0);
  if (owner !== undefined) {
    const entry = users.find((user) => user.uid === owner.uid);
    return entry ?? { name: `uid ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  }
  const user = users.find(({ name }) => name === 'postgres') ?? users.find(({ name }) => name === 'nobody');
  if (user === undefined) {
    throw new Error(
      'PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody" to run it as. Set DATABASE_URL or start the service as an ordinary user.',
    );
  }
  return user;
}

/** Whether the user can run this command line. It really runs it, so parent folders and mount options all count. */
export function canRun(user: ServerUser | undefined, program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { cwd: '/', stdio: 'ignore', ...userOption(user) }).status === 0;
}

/** Whether the user can enter the folder, whoever owns its parents. */
export const canEnter = (user: ServerUser | undefined, folder: string): boolean =>
  canRun(user, '/bin/sh', ['-c', 'cd "$0"', folder]);

/** Returns the options of `spawn` that run a program as that user. */
export const userOption = (user: ServerUser | undefined): { uid?: number; gid?: number } =>
  user === undefined ? {} : { uid: user.uid, gid: user.gid };

const parsePasswd = (text: string): ServerUser[] =>
  text.split('\n').flatMap((line) => {
    const [name = '', , uid, gid] = line.split(':');
    const user = { name, uid: Number(uid), gid: Number(gid) };
    return name !== '' && user.uid > 0 && user.gid >= 0 ? [user] : [];
  });
