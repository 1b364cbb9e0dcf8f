import { readdirSync, readFileSync } from 'node:fs';
import type { Stage } from './stage.js';

/** Processor time of a service and its database, in microseconds. Linux only. */
export interface Spent {
  service: number;
  database: number;
}

/**
 * Returns the processor time so far of a service with its workers, and of the database, including its processes that
 * have ended.
 */
export const spentBy = async ({ pool, pid }: Pick<Stage, 'pool' | 'pid'>): Promise<Spent> => {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const server = statOf(rows[0]!.pid).parent;
  const { own, ended } = statOf(server);
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)));
  const childrenOf = (of: number) =>
    all.filter(({ parent }) => parent === of).reduce((sum, { own: each }) => sum + each, 0);
  return { service: statOf(pid).own + childrenOf(pid), database: own + ended + childrenOf(server) };
};

/** Returns the processor time of one process so far, in microseconds. Linux only. */
export const processorOf = (pid: number): number => statOf(pid).own;

/** Microseconds per tick of the kernel's process clock (USER_HZ). */
const tick = 10_000;

/**
 * Returns the parent of a process, its processor time and that of its ended children. A process that has ended took
 * none.
 */
const statOf = (pid: number): { parent: number; own: number; ended: number } => {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, parent, ...rest] = line
      .slice(line.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user, system, endedUser, endedSystem] = rest.slice(9, 13);
    return { parent: parent!, own: (user! + system!) * tick, ended: (endedUser! + endedSystem!) * tick };
  } catch {
    return { parent: 0, own: 0, ended: 0 };
  }
};
