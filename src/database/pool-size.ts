import { availableParallelism } from 'node:os';

/** The pools of a process by their names in metrics; `orm` is that of the unit of work. */
export type PoolName = keyof typeof most;

/** Sizes of the pools where the database allows enough connections. */
const most = {
  main: 10,
  // More slow reads than there are processors would slow each other down, and everything quick too.
  slow_read: Math.min(4, Math.max(2, availableParallelism())),
  store: 9,
  slow_store: 3,
  search: 8,
  hooks: 4,
  live: 4,
  live_slow: 4,
  orm: 10,
};

/** Smallest sizes: one for each kind of work, so that none waits for another kind, and two where most calls pass. */
const least: Readonly<Record<PoolName, number>> = {
  main: 2,
  slow_read: 1,
  store: 2,
  slow_store: 1,
  search: 1,
  hooks: 1,
  live: 1,
  live_slow: 1,
  orm: 2,
};

/**
 * Connections besides the pools: two pipelined ones, one that listens, and a few for migrations at start, later for
 * making blocks (two) and for cancelling statements.
 */
const singleConnections = 6;

const sum = (sizes: Readonly<Record<PoolName, number>>): number =>
  Object.values(sizes).reduce((all, size) => all + size, singleConnections);

/** Maximum number of connections that one process opens to the primary, unless the operator sets fewer. */
export const usualConnections: number = sum(most);

/** Number of connections with which a process still serves every kind of call. */
export const leastConnections: number = sum(least);

/** Divides the connections of a process among its pools. They get what is beyond the minimum in proportion. */
export function poolSizesFor(connections = usualConnections): Readonly<Record<PoolName, number>> {
  const share = (Math.min(connections, usualConnections) - leastConnections) / (usualConnections - leastConnections);
  const sizes = Object.entries(most).map(([name, size]) => {
    const floor = least[name as PoolName];
    return [name, floor + Math.floor((size - floor) * Math.max(0, share))];
  });
  return Object.fromEntries(sizes) as Record<PoolName, number>;
}
