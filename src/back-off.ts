/** The longest wait between two tries, in milliseconds. */
const maxBackOff = 5000;

/**
 * How long to wait before the next try, in milliseconds: 100, 200, 400 and so on.
 *
 * @param failures tries that failed in a row before the last one, which failed too
 */
export const backOff = (failures: number, max = maxBackOff): number => Math.min(100 * 2 ** failures, max);
