import type { Sql } from 'sql-template-tag';
import type { ReadingCall } from '#entities/caller.js';
import { type BoundedRead, isCancelled } from './bounded-read.js';
import type { WeighedRead } from './reader.js';

/** The call that a read belongs to. Its `timeLeft` throws if the answer is not needed any more. */
export type SharingCall = Pick<ReadingCall, 'caller' | 'weighRows' | 'timeLeft' | 'signal'>;

/** Reads for the organization of a call. */
export type SharedRead = <Row extends object>(call: SharingCall, query: Sql) => Promise<Row[]>;

/** Maximum number of statements of one organization that run on the pipelined connection at once. */
const maxConcurrent = 32;
/**
 * Waiting statements begin together once fewer than this run: one by one, each would be a separate write to the socket.
 */
const refillBelow = maxConcurrent / 2;
/**
 * Time for which an organization's reads avoid the pipelined connection after one of them was slow there, in
 * milliseconds.
 */
const avoidFor = 10_000;
/** Maximum duration, in milliseconds, of a statement that was too slow for the pipelined connection. */
export const slowLimit = 5000;

interface Share {
  running: number;
  readonly waiting: (() => void)[];
  /** Time until which its statements avoid the pipelined connection. */
  slowUntil: number;
}

/**
 * Shares the pipelined connection among organizations. Each has a bounded number of statements there. When a statement
 * times out there, it and the organization's further reads use the pool of slow reads for a while. In the pool, a read
 * is cancelled when its call ends.
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
  return async <Row extends object>(call: SharingCall, query: Sql) => {
    const { weighRows } = call;
    const { organizationId } = call.caller;
    const share = shareOf(organizationId);
    // No read overtakes those that wait. They count as running once they begin.
    if (share.running >= maxConcurrent || share.waiting.length > 0)
      await new Promise<void>((resolve) => share.waiting.push(resolve));
    else share.running += 1;
    try {
      call.timeLeft();
      weighRows(0);
      if (share.slowUntil < performance.now()) return await read<Row>(query, weighRows);
    } catch (error) {
      if (!isCancelled(error)) throw error;
      share.slowUntil = performance.now() + avoidFor;
    } finally {
      leave(organizationId, share);
    }
    return (await readSlow(organizationId, query, slowLimit, weighRows, call.signal)) as Row[];
  };
};
