import { readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { ClientBase } from 'pg';

/** How much of a processor the statements of a pool get beside those of others. */
export type StatementPriority = 'quick' | 'usual' | 'slow';

/** Of the server's processes, where 0 is that of this process; a step is a quarter more or less of a processor that both want. */
const niceness: Readonly<Record<StatementPriority, number>> = {
  // Short statements that all organizations share: the event loop gets three parts of four beside them.
  quick: 5,
  // The event loop gets nine parts of ten beside them.
  usual: constants.priority.PRIORITY_BELOW_NORMAL,
  // Less than half of what usual ones get. Much less would starve them wherever other programs keep the machine busy, and end
  // them at their deadlines.
  slow: 14,
};

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a database is reached by loopback: it then shares the processors of this machine, unless it is forwarded from another. */
export const isLocal = (connectionString: string): boolean => loopback.has(new URL(connectionString).hostname);

/**
 * Lets the process of PostgreSQL that works for a connection give way to this one, where both are on one Linux machine: what
 * some tenants ask of the database must not keep the event loop, which answers all of them, from its processor.
 *
 * Linux shares processors among sessions first (`sched_autogroup`), and each process of PostgreSQL is a session of its own: a
 * dozen of them would leave the event loop a thirteenth. So the session's priority is lowered too. What the system does not
 * allow stays as it is.
 */
export const giveWay = (client: ClientBase, connectionString: string, priority: StatementPriority): void => {
  if (process.platform !== 'linux' || !isLocal(connectionString)) return;
  const { processID: pid } = client as ClientBase & { processID?: number | null };
  if (!pid) return;
  try {
    // A server in a container has process numbers of its own, which name other processes here.
    if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('postgres: ')) return;
    setPriority(pid, niceness[priority]);
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness[priority]));
  } catch {
    // Not our process, or a system without priorities of sessions.
  }
};
