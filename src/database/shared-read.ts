import type { Sql } from 'sql-template-tag';
import type { WeighRows } from '../schema/context.js';
import { type BoundedRead, isCancelled } from './bounded.js';
import type { WeighedRead } from './reader.js';

/** Reads for an organization; `check` throws, before the statement is sent, where its answer is not wanted any more. */
export type SharedRead = <Row extends object>(
  organizationId: string,
  query: Sql,
  weigh: WeighRows,
  check?: () => void,
) => Promise<Row[]>;

/** Statements of one organization on the pipelined connection at once. */
const maxConcurrent = 32;
/** The next ones begin together once so few are left: one by one, each is a write of its own to the socket. */
const refillBelow = maxConcurrent / 2;
/** How long the reads of an organization avoid that connection after one of them was slow there, in milliseconds. */
const avoidFor = 10_000;
/** How long a statement that was too slow for the pipelined connection may take elsewhere, in milliseconds. */
const slowLimit = 5000;

interface Share {
  running: number;
  readonly waiting: (() => void)[];
  /** Until when its statements go elsewhere. */
  slowUntil: number;
}

/**
 * Shares the pipelined connection among organizations: each has a bounded number of statements there, and one whose
 * statement ran out of time there reads over the pool of slow reads for a while, that statement included.
 */
export const createSharedRead = (read: WeighedRead, readSlow: BoundedRead): SharedRead => {
  const shares = new Map<string, Share>();
  const shareOf = (organizationId: string): Share => {
    const found = shares.get(organizationId) ?? { running: 0, waiting: [], slowUntil: 0 };
    shares.set(organizationId, found);
    return found;
  };
  const leave = (organizationId: string, share: Share) => {
    share.running -= 1;
    if (share.running < refillBelow) {
      const beginning = share.waiting.splice(0, maxConcurrent - share.running);
      share.running += beginning.length;
      for (const begin of beginning) begin();
    }
    if (share.running === 0 && share.slowUntil < performance.now()) shares.delete(organizationId);
  };
  return async <Row extends object>(organizationId: string, query: Sql, weigh: WeighRows, check?: () => void) => {
    const share = shareOf(organizationId);
    // Nobody goes before those that wait, who are counted as running once they begin.
    if (share.running >= maxConcurrent || share.waiting.length > 0)
      await new Promise<void>((resolve) => share.waiting.push(resolve));
    else share.running += 1;
    try {
      check?.();
      weigh(0);
      if (share.slowUntil < performance.now()) return await read<Row>(query, weigh);
    } catch (error) {
      if (!isCancelled(error)) throw error;
      share.slowUntil = performance.now() + avoidFor;
    } finally {
      leave(organizationId, share);
    }
    return (await readSlow(organizationId, query, slowLimit, weigh)) as Row[];
  };
};
