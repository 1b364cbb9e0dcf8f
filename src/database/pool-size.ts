import { availableParallelism } from 'node:os';

/**
 * Maximum number of connections of each pool of a process, by the pool's name in metrics. The sizes have a file of
 * their own, as the primary of several workers counts connections without loading what uses them.
 */
export const poolSizes = {
  main: 10,
  // More slow reads than there are processors would slow each other down, and everything quick too.
  slow_read: Math.min(4, Math.max(2, availableParallelism())),
  store: 9,
  slow_store: 3,
  search: 8,
  hooks: 4,
  live: 4,
  live_slow: 4,
};

/** Maximum number of connections of the unit of work. */
export const ormConnections = 10;

/**
 * Connections besides the pools: two pipelined ones, one that listens, and a few for migrations at start and for
 * cancelling statements.
 */
const singleConnections = 6;

/** Maximum number of connections that one process opens to the primary. */
export const connectionsOfProcess: number = Object.values(poolSizes).reduce(
  (sum, size) => sum + size,
  ormConnections + singleConnections,
);
