import { stdout } from 'node:process';

/** The middle one of some figures. */
export const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;

/** Prints a table: each row's figure, and the median over the rounds of its ratio to another row of the same round. */
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

/** Figures of one thing, one a round, and what they are held against. */
export interface Row {
  name: string;
  figures: number[];
  against?: Row;
}

/** Shows how far something has come, on one line that it writes over. */
export const progress = (done: number, total: number): void => {
  const width = 40;
  const filled = Math.round((done / total) * width);
  const bar = `${'#'.repeat(filled)}${'.'.repeat(width - filled)}`;
  stdout.write(
    `\r  [${bar}] ${done.toLocaleString('en')} of ${total.toLocaleString('en')}${done >= total ? '\n' : ''}`,
  );
};

/** How long work takes, in milliseconds. */
export const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};
