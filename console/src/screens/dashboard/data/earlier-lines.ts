import type { Line } from '../../../components/plot-data.js';
import { apart, type CalendarUnit, type Earlier, rangeText, startText } from '../../../format/compare.js';
import type { Ends } from '../../../format/range.js';

const day = 86_400;

/** Lengths of bars of the calendar, the shortest first, each with the longest range in which there is room for them. */
const bars = [
  ['hour', 3 * day],
  ['day', 62 * day],
  ['week', 400 * day],
  ['month', Number.POSITIVE_INFINITY],
] as const;

/** Average lengths of buckets of the calendar, in seconds. */
const lengths: Readonly<Record<CalendarUnit, number>> = { hour: 3600, day, week: 7 * day, month: 30 * day };

/** Returns the length of a bar of a range. Bars of the calendar lie on those of an earlier range. */
export const barOf = ({ from, to }: Ends): CalendarUnit => bars.find(([, longest]) => to - from <= longest)![0];

/** Returns a line with the colour of its place, which the line of the earlier range shares. */
export const coloured = (line: Line, index: number): Line => ({ ...line, color: `--series-${index + 1}` });

/** Returns the lines of an earlier range at their places on the axis of the range. Each point says when it was. */
export const earlierLines = (lines: readonly Line[], earlier: Earlier, every: CalendarUnit | undefined): Line[] =>
  lines.map(({ lowest: _lowest, highest: _highest, ...line }, index) => ({
    ...coloured(line, index),
    name: `${line.name}, ${rangeText(earlier.whole)}`,
    ts: apart(
      line.ts.map((at) => earlier.place(at, every)),
      every === undefined ? (line.interval ?? 0) : lengths[every],
    ),
    measured: line.ts,
    notes: line.ts.map((at, index) => `${startText(at)} · ${line.notes?.[index] ?? ''}`),
  }));
