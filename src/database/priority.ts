import { readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { ClientBase } from 'pg';

/** Of the server's processes, where 0 is usual: of a processor that both want, the event loop gets nine parts of ten. */
const usual = constants.priority.PRIORITY_BELOW_NORMAL;
/**
 * Of those whose statements may be slow: they get less than half of what the others get. Much less would starve them wherever
 * other programs keep the machine busy, and end them at their deadlines.
 */
const slowest = 14;

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Lets the process of PostgreSQL that works for a connection give way to this one, where both are on one Linux machine: what
 * some tenants ask of the database must not keep the event loop, which answers all of them, from its processor.
 *
 * Linux shares processors among sessions first (`sched_autogroup`), and each process of PostgreSQL is a session of its own: a
 * dozen of them would leave the event loop a thirteenth. So the session's priority is lowered too. What the system does not
 * allow stays as it is.
 *
 * @param slow whether its statements may be slow: it then gives way to other connections, too
 */
export const giveWay = (client: ClientBase, connectionString: string, slow: boolean): void => {
  if (process.platform !== 'linux' || !loopback.has(new URL(connectionString).hostname)) return;
  const { processID: pid } = client as ClientBase & { processID?: number | null };
  if (!pid) return;
  const niceness = slow ? slowest : usual;
  try {
    // A server in a container has process numbers of its own, which name other processes here.
    if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('postgres: ')) return;
    setPriority(pid, niceness);
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // Not our process, or a system without priorities of sessions.
  }
};
