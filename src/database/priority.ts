import { readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { ClientBase } from 'pg';

/** Processor priority of a pool's statements relative to other statements. */
export type StatementPriority = 'quick' | 'usual' | 'slow';

/**
 * Niceness of PostgreSQL's processes; this process has 0. If two processes compete for a processor, one step gives one
 * of them about a quarter more.
 */
const niceness: Readonly<Record<StatementPriority, number>> = {
  // Short statements that all organizations share: beside them, the event loop gets three quarters of a processor.
  quick: 5,
  // Beside these the event loop gets nine tenths of a processor.
  usual: constants.priority.PRIORITY_BELOW_NORMAL,
  // These statements get two thirds of the share of usual ones. Beside eight busy loops, Overview of 10,000 devices takes
  // 1.1 s with 14 and 0.6 s with 11; other tenants' slowest calls under attack take longer with each step.
  slow: 12,
};

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether a database is reached by loopback. It then shares the processors of this machine, unless the port is
 * forwarded from another.
 */
export const isLocal = (connectionString: string): boolean => loopback.has(new URL(connectionString).hostname);

/**
 * Lowers the priority of the PostgreSQL process behind a connection, if both are on one Linux machine. The statements
 * of some tenants must not take the processor from the event loop, which answers all tenants.
 *
 * Linux shares processors among sessions first (`sched_autogroup`), and each PostgreSQL process is a session of its
 * own. Beside a dozen of them, the event loop would get a thirteenth of a processor. So this function lowers the
 * priority of the session too. It ignores every change that the system does not permit.
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
