/** Bytes of one line of a file at most. */
export const longestLine = 256 * 1024;
