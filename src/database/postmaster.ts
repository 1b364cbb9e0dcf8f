import { readFile, readlink, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A running server: its first process, and its port once it listens. */
export interface Postmaster {
  pid: number;
  port?: number;
}

/**
 * Finds the server that runs on a data folder through its `postmaster.pid`. After a crash or `kill -9` the file may
 * name a process that is gone, or a new process with the same number. No server runs then, and the file is removed,
 * because PostgreSQL would not start beside a living process of that number.
 */
export async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const path = join(data, 'postmaster.pid');
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  if (!(await isServing(pid, data))) {
    await discard(path, text);
    return undefined;
  }
  const port = Number(lines[3]);
  return port > 0 ? { pid, port } : { pid };
}

/**
 * Whether the process is the server of the data folder, which is then its working directory. Without `/proc`, any
 * living process with the number counts.
 */
async function isServing(pid: number, data: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if ((await readIfThere('/proc/self/stat')) === undefined) return true;
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return folder === data;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes the file, unless another process has written a new one since it was read. */
async function discard(path: string, stale: string): Promise<void> {
  const aside = `${path}.${process.pid}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if ((await readIfThere(aside)) === stale) await rm(aside, { force: true });
  else await rename(aside, path);
}

const readIfThere = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);
