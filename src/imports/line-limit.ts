/** Maximum size of a line of a file in bytes. */
export const longestLine = 256 * 1024;
