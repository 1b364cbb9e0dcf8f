import uPlot from 'uplot';
import { type Look, said, wordFor } from '../format/look.js';
import { numberText } from '../format/value.js';

/** One line of a chart: ascending instants in Unix seconds, and a value at each. A BOOL is drawn in steps. */
export interface Line extends Look {
  readonly name: string;
  /** Length of a bucket in seconds, where the values are those of buckets. */
  readonly interval?: number | null;
  /** Custom property of the colour; by default that of the place of the line. */
  readonly color?: string;
  readonly ts: readonly number[];
  /** When the values were measured, if the line is of an earlier range and `ts` are its places on the axis. */
  readonly measured?: readonly number[];
  readonly values: readonly (number | null)[];
  /** The smallest and largest number that each value combines, drawn as a band behind the line. */
  readonly lowest?: readonly number[];
  readonly highest?: readonly number[];
  /** Text beside each value. */
  readonly notes?: readonly string[];
}

/** Shape of the values: lines, filled lines, or bars that are stacked on each other. */
export type Shape = 'lines' | 'areas' | 'bars';

/** Number of lines that have a colour of their own. The lines after them form a group in one colour. */
export const mostColours = 12;

/** Returns the colour and dash of a line by its place. From the seventh line on, a dash helps to tell them apart. */
export const strokeOf = (index: number, line?: Line): { color: string; dash: number[] } =>
  line?.color !== undefined
    ? { color: line.color, dash: line.measured === undefined ? [] : [4, 3] }
    : index < mostColours
      ? { color: `--series-${index + 1}`, dash: index < 6 ? [] : [5, 3] }
      : { color: '--quiet', dash: [2, 3] };

export const isBoolean = ({ type }: Line): boolean => type === 'BOOL';

/** Returns the words for false and true. */
const wordsOf = (line: Line): string[] => [false, true].map((value) => said(value, line));

/**
 * Formats a value of a line: by its word, or with its decimals and unit. The mean of a bucket of booleans reads as the
 * value that lasted longer.
 */
export const readValue = (line: Line, value: number): string =>
  isBoolean(line)
    ? said(value >= 0.5, line)
    : (wordFor(value, line) ?? said(line.decimals == null ? rounded(value) : value, line));

/** Rounds a mean to five significant digits, and a large number to a whole one. */
const rounded = (value: number): number =>
  Math.abs(value) >= 10_000 ? Math.round(value) : Number(value.toPrecision(5));

/** Returns the interval in seconds at which a line is expected to have values: the median of its steps. */
export const expectedInterval = ({ ts, interval }: Line): number => {
  const steps = ts
    .slice(1)
    .map((at, index) => at - ts[index]!)
    .sort((a, b) => a - b);
  return Math.max(interval ?? 0, steps[Math.floor((steps.length - 1) / 2)] ?? 0);
};

/**
 * Number of expected intervals without a value that count as a gap. A device that sends once a bucket sometimes misses
 * one by jitter, so two intervals are not a gap.
 */
export const gapFactor = 2.1;

/** Returns instants and values of a line with a null at the beginning of each gap. */
const withGaps = (line: Line): [number[], (number | null)[]] => {
  const expected = expectedInterval(line);
  const ts: number[] = [];
  const values: (number | null)[] = [];
  line.ts.forEach((at, index) => {
    const before = line.ts[index - 1];
    if (before !== undefined && expected > 0 && at - before > gapFactor * expected) {
      ts.push(before + expected);
      values.push(null);
    }
    ts.push(at);
    values.push(line.values[index] ?? null);
  });
  // The last state of a boolean is drawn for one expected interval, as no later value ends it.
  const last = ts.at(-1);
  if (last !== undefined && isBoolean(line)) {
    ts.push(last + Math.max(1, expected));
    values.push(null);
  }
  return [ts, values];
};

/** Modes of uPlot's join: nulls stay as they are, or spread over the missing values beside them. */
const [nullRetain, nullExpand] = [1, 2] as const;

/** Spreads each null over the missing values after it, but not before it: a state lasts until its null. */
const spreadForward = (column: (number | null | undefined)[]): void => {
  for (let at = 1; at < column.length; at++) if (column[at] === undefined && column[at - 1] === null) column[at] = null;
};

/**
 * Returns the columns that uPlot draws. Each boolean has its own lane, and bars are stacked on the bars of later lines.
 */
export const drawnColumns = (lines: readonly Line[], shape: Shape): uPlot.AlignedData => {
  if (lines.length === 0) return [[]];
  const lanes = lines.every(isBoolean);
  const joined = uPlot.join(
    lines.map((line, index) => {
      const [ts, values] = shape === 'bars' ? [[...line.ts], [...line.values]] : withGaps(line);
      const base = laneBase(index, lines.length);
      const drawn = lanes
        ? values.map((value) => (value === null ? null : base + laneHeight * Math.round(value)))
        : values;
      return [ts, drawn] as uPlot.AlignedData;
    }),
    // A null spreads over the instants of other lines up to the next value of its own line.
    lines.map(() => [0, lanes ? nullRetain : nullExpand]),
  );
  if (lanes) for (const column of joined.slice(1)) spreadForward(column as (number | null | undefined)[]);
  if (shape !== 'bars') return joined;
  const [ts, ...columns] = joined;
  // Bars of an earlier range have a stack of their own.
  const stacks = { now: Array.from(ts, () => 0), earlier: Array.from(ts, () => 0) };
  const stacked = columns.map((column, index) => [column, lines[index]!.measured ? 'earlier' : 'now'] as const);
  const drawn = stacked.toReversed().map(([column, stack]) => {
    const sums = stacks[stack];
    return sums.map((sum, at) =>
      column[at] == null && stack === 'earlier' ? null : (sums[at] = sum + (column[at] ?? 0)),
    );
  });
  return [ts, ...drawn.toReversed()];
};

export const laneHeight = 0.7;

/** Returns the lower end of a boolean's lane. The first line is in the top lane. */
export const laneBase = (index: number, count: number): number => count - 1 - index + 0.15;

/** Joins lines over all of their instants as they are, for the table. */
export const tableColumns = (lines: readonly Line[]): uPlot.AlignedData =>
  lines.length === 0 ? [[]] : uPlot.join(lines.map(({ ts, values }) => [[...ts], [...values]] as uPlot.AlignedData));

/** Returns the indexes of points that no line reaches, as both neighbours are missing. They are drawn as dots. */
export const lonelyPoints = (column: ArrayLike<number | null | undefined>): number[] => {
  const present = Array.from(column, (value, index) => [value, index] as const).filter(
    ([value]) => value !== undefined,
  );
  return present
    .filter(([value], place) => value !== null && present[place - 1]?.[0] == null && present[place + 1]?.[0] == null)
    .map(([, index]) => index);
};

/** The value of one line near an instant. */
export interface Reading {
  readonly index: number;
  readonly at: number;
  readonly value: number;
}

/**
 * Returns the value of each line near an instant, also when the lines have different instants. `slack` is the distance
 * in seconds that is always near.
 */
export const readingsAt = (lines: readonly Line[], at: number, slack: number, shape: Shape): Reading[] =>
  lines.flatMap((line, index) => {
    const expected = expectedInterval(line);
    const holds = shape === 'bars' || isBoolean(line);
    const place = holds ? placeBefore(line.ts, at) : nearestPlace(line.ts, at);
    const value = line.values[place];
    if (value == null) return [];
    const reach = Math.max(slack, holds ? expected * (shape === 'bars' ? 1 : gapFactor) : expected * 0.6);
    return Math.abs(line.ts[place]! - at) > reach ? [] : [{ index, at: line.ts[place]!, value }];
  });

/** Returns the place of the last instant at or before another, by bisection; -1 when there is none. */
const placeBefore = (ts: readonly number[], at: number): number => {
  let [low, high] = [0, ts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ts[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

const nearestPlace = (ts: readonly number[], at: number): number => {
  const before = placeBefore(ts, at);
  const [a, b] = [ts[before], ts[before + 1]];
  if (a === undefined) return before + 1;
  return b !== undefined && b - at < at - a ? before + 1 : before;
};

/** Returns the labels of a value axis: words for booleans, numbers with a short unit otherwise. */
export const axisLabels = (lines: readonly Line[], splits: readonly number[]): string[] => {
  if (lines.every(isBoolean)) {
    const [only] = lines;
    if (lines.length > 1 || only === undefined) return splits.map(() => '');
    return wordsOf(only).toReversed();
  }
  const unit = tickUnit(lines);
  const step = Math.abs((splits[1] ?? 1) - (splits[0] ?? 0));
  // The smallest number of decimals that writes the step exactly, such as two for 0.25.
  const digits = [0, 1, 2, 3, 4, 5, 6].find((count) => Math.abs(Number(step.toFixed(count)) - step) < step * 1e-6) ?? 8;
  const written = (options: Intl.NumberFormatOptions) => splits.map((value) => numberText(value, options));
  const exact = { maximumFractionDigits: digits, minimumFractionDigits: digits };
  // The smallest number of decimals that distinguishes neighbours, such as 3.40m and 3.42m.
  const short = [0, 1, 2, 3]
    .map((count) => written({ notation: 'compact', maximumFractionDigits: count, minimumFractionDigits: count }))
    .find((labels) => new Set(labels).size === labels.length);
  const labels = splits.some((value) => Math.abs(value) >= 100_000) ? short : undefined;
  return (labels ?? written(exact)).map((label) => label + (unit === '' ? '' : ` ${unit}`));
};

/** The unit of all lines, when it is short enough to stand beside each number of the axis; `''` otherwise. */
export const tickUnit = (lines: readonly Line[]): string => {
  const unit = lines[0]?.unit ?? '';
  return unit.length <= 5 && lines.every((line) => (line.unit ?? '') === unit) ? unit : '';
};

/** Whether all values are whole numbers, so that the axis needs no fractions. */
export const isWhole = (lines: readonly Line[]): boolean =>
  lines.every(({ values }) => values.every((value) => value === null || Number.isInteger(value)));
