/** Draws a progress bar on stderr when it is a terminal. `total` is 0 when it is unknown. */
export const showProgress = (done: number, total: number, unit = 'records'): void => {
  if (!process.stderr.isTTY) return;
  const part = total > 0 ? Math.min(1, done / total) : 0;
  const bar = '#'.repeat(Math.floor(part * 40)).padEnd(40, '.');
  process.stderr.write(`\r[${bar}] ${done} of about ${Math.max(done, total)} ${unit}`);
};

/** Ends the line of the progress bar. */
export const endProgress = (): void => {
  if (process.stderr.isTTY) process.stderr.write('\n');
};
