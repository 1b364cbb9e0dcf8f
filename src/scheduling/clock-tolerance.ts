/**
 * Maximum difference between the clocks of processes, in milliseconds. A time further in the future was written by a
 * process with a wrong clock.
 */
export const clockTolerance = 10_000;
