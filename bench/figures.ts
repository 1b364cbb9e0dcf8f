import { stdout } from 'node:process';

/** Returns the median; of an even number of figures, the upper of the middle two. */
export const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;

/**
 * Prints a table of each row's median and, for a row with `against`, the median over the rounds of its ratio to the
 * other row in the same round.
 */
export const report = (title: string, unit: string, rows: readonly Row[]): void => {
  stdout.write(`\n${title}\n`);
  for (const { name, figures, against } of rows) {
    const ratio = against && median(figures.map((figure, round) => figure / against.figures[round]!));
    const share = ratio === undefined ? '' : `   ${ratio.toFixed(2)} of "${against?.name}"`;
    stdout.write(
      `  ${name.padEnd(44)} ${Math.round(median(figures)).toLocaleString('en').padStart(10)} ${unit}${share}\n`,
    );
  }
};

/** Figures of one measurement, one per round, and the row that they are compared with. */
export interface Row {
  name: string;
  figures: number[];
  against?: Row;
}

/** Shows progress on a line that the next call overwrites. */
export const progress = (done: number, total: number): void => {
  const width = 40;
  const filled = Math.round((done / total) * width);
  const bar = `${'#'.repeat(filled)}${'.'.repeat(width - filled)}`;
  stdout.write(
    `\r  [${bar}] ${done.toLocaleString('en')} of ${total.toLocaleString('en')}${done >= total ? '\n' : ''}`,
  );
};

/** Measures the duration of work, in milliseconds. */
export const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};
