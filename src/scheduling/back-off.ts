/** Longest wait between two attempts, in milliseconds. */
const maxBackOff = 5000;

/**
 * Returns the wait before the next attempt, in milliseconds: 100, 200, 400 and so on.
 * @param failures number of consecutive failures before the last attempt, which failed too.
 */
export const backOff = (failures: number, max = maxBackOff): number => Math.min(100 * 2 ** failures, max);
