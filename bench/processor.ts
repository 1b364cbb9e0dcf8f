import { readdirSync, readFileSync } from 'node:fs';
import type { Stage } from './stage.js';

/** Microseconds of processor time that a service and its database have taken. Linux only. */
export interface Spent {
  service: number;
  database: number;
}

/** What a service (its workers with it) and the database have spent so far, processes of the database that have ended among them. */
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

/** Microseconds in a tick of the kernel's clock, as it counts for processes (USER_HZ). */
const tick = 10_000;

/** A process: who started it, and the time that it and its ended children took. One that is gone took none. */
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
