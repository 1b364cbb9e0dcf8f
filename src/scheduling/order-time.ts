import { clockTolerance } from './clock-tolerance.js';

/**
 * Returns by how many seconds the clock of a device was ahead when its record arrived; null within the tolerance of
 * clocks.
 * @param ts time of the record, in Unix seconds
 * @param arrivedAt time of its arrival, in milliseconds since 1970
 */
export const secondsAhead = (ts: number, arrivedAt: number): number | null =>
  ts * 1000 - arrivedAt > clockTolerance ? ts - arrivedAt / 1000 : null;

/**
 * Returns the time by which the newest record of a device is found, in Unix seconds: that of the record, or of its
 * arrival if the record is ahead of it. Otherwise one record ahead would hide those that follow until its time has come.
 */
export const orderTime = (ts: number, arrivedAt: number): number =>
  secondsAhead(ts, arrivedAt) === null ? ts : arrivedAt / 1000;
