import type uPlot from 'uplot';
import { expectedInterval, gapFactor, type Line, strokeOf } from './plot-data.js';

/** Draws the range from the smallest to the largest number of each point, behind the lines. */
export const drawSpreads = (
  plot: uPlot,
  lines: readonly Line[],
  isShown: (index: number) => boolean,
  colorOf: (name: string) => string,
): void => {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.globalAlpha = 0.18;
  lines.forEach((line, index) => {
    const { ts, lowest, highest } = line;
    if (lowest === undefined || highest === undefined || !isShown(index)) return;
    ctx.fillStyle = colorOf(strokeOf(index, line).color);
    for (const run of runsOf(line)) {
      const x = (at: number) => plot.valToPos(ts[at]!, 'x', true);
      const y = (value: number) => plot.valToPos(value, 'y', true);
      // A point without neighbours is as wide as a dot.
      const half = run.length === 1 ? 2 * devicePixelRatio : 0;
      ctx.beginPath();
      for (const side of [-half, half]) for (const at of run) ctx.lineTo(x(at) + side, y(highest[at]!));
      for (const side of [half, -half]) for (const at of run.toReversed()) ctx.lineTo(x(at) + side, y(lowest[at]!));
      ctx.fill();
    }
  });
  ctx.restore();
};

/** Returns the places of points between gaps. */
const runsOf = (line: Line): number[][] => {
  const reach = gapFactor * expectedInterval(line);
  const runs: number[][] = [];
  line.ts.forEach((at, index) => {
    const before = line.ts[index - 1];
    if (before === undefined || at - before > reach) runs.push([]);
    runs.at(-1)!.push(index);
  });
  return runs;
};

/** Returns the ends of the values that are drawn, spreads included. */
export const endsOf = (
  lines: readonly Line[],
  isShown: (index: number) => boolean,
  min: number | null,
  max: number | null,
): [number | null, number | null] => {
  const shown = lines.filter((_, index) => isShown(index));
  const ends = (of: (line: Line) => readonly number[] | undefined) => shown.flatMap((line) => of(line) ?? []);
  const least = (one: number | null, other: number) => (one === null ? other : Math.min(one, other));
  const most = (one: number | null, other: number) => (one === null ? other : Math.max(one, other));
  return [ends(({ lowest }) => lowest).reduce(least, min), ends(({ highest }) => highest).reduce(most, max)];
};

/** Returns the lines of a table: those with a spread have three columns. */
export const tableLines = (lines: readonly Line[]): Line[] =>
  lines.flatMap((line) =>
    line.lowest === undefined || line.highest === undefined
      ? [line]
      : [
          { ...line, name: `${line.name}, lowest`, values: line.lowest },
          line,
          { ...line, name: `${line.name}, highest`, values: line.highest },
        ],
  );
