/**
 * Clocks of processes differ by less than this, in milliseconds. A time that lies further ahead than it can by this was
 * written by a clock that was wrong.
 */
export const clockTolerance = 10_000;
