import pg, { type Pool } from 'pg';
import { isCancelled } from './bounded-read.js';
import { isConnectionLoss } from './connection-loss.js';
import type { Queryable } from './queryable.js';
import { transaction } from './transaction.js';

/** A prepared statement that changes rows of an organization. */
export interface Statement {
  name: string;
  text: string;
  values: unknown[];
  /** Identifier of the row that the statement locks, if another statement may wait for it. */
  row?: string;
}

/**
 * Runs a statement in a transaction that it may share with others of its organization. Returns the number of rows.
 * @throws DatabaseError if the statement itself violates a constraint
 */
export type GroupCommit = (organizationId: string, statement: Statement) => Promise<number>;

/** Maximum number of statements that one transaction commits. */
const maxGroup = 32;
/**
 * Maximum number of transactions of an organization at once, and number of waiting statements that begin a second one:
 * the service prepares one group while PostgreSQL stores another.
 */
const [maxAtOnce, enough] = [2, 8];

interface Waiting {
  statement: Statement;
  resolve(rows: number): void;
  reject(error: unknown): void;
}

/**
 * Creates a function that groups the statements of an organization: those that arrive while others are committed go into
 * one transaction next, in two packets. They wait only for others of their organization.
 */
export const createGroupCommit = (open: () => Promise<Pool>): GroupCommit => {
  const queues = new Map<string, { running: number; waiting: Waiting[] }>();
  const start = (organizationId: string): void => {
    const queue = queues.get(organizationId)!;
    const { running, waiting } = queue;
    if (running + waiting.length === 0) queues.delete(organizationId);
    if (waiting.length === 0 || (running > 0 && (running === maxAtOnce || waiting.length < enough))) return;
    queue.running += 1;
    void storeGroup(open, waiting.splice(0, maxGroup)).then(() => {
      queue.running -= 1;
      start(organizationId);
    });
  };
  return (organizationId, statement) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(organizationId) ?? { running: 0, waiting: [] };
      queues.set(organizationId, queue);
      queue.waiting.push({ statement, resolve, reject });
      start(organizationId);
    });
};

/** Stores a group. One statement's fault does not fail the others, so each of a failed group is tried alone. */
const storeGroup = async (open: () => Promise<Pool>, group: readonly Waiting[]): Promise<void> => {
  const alone = group.length === 1;
  // Two transactions that lock the same rows in the same order wait, but never deadlock.
  const ordered = group.toSorted((a, b) => compare(a.statement.row ?? '', b.statement.row ?? ''));
  try {
    const pool = await open();
    const send = (client: Queryable) =>
      Promise.all(
        ordered.map(
          async ({ statement: { name, text, values } }) => (await client.query({ name, text, values })).rowCount!,
        ),
      );
    const rows = await (alone ? send(pool) : transaction(pool, send));
    for (const [index, { resolve }] of ordered.entries()) resolve(rows[index]!);
  } catch (error) {
    if (alone || !isOwnFault(error)) for (const { reject } of group) reject(error);
    // One after the other, as the connections serve other organizations too.
    else for (const one of group) await storeGroup(open, [one]);
  }
};

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Whether a single statement may have caused the failure of its group. */
const isOwnFault = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && !isConnectionLoss(error) && !isCancelled(error);
