import type { GroupLineFragment } from '../../../api/documents.js';
import type { Line } from '../../../components/plot-data.js';
import { earlierOf } from '../../../format/compare.js';
import type { Look } from '../../../format/look.js';
import type { Ends } from '../../../format/range.js';
import { counted } from '../../../format/value.js';
import {
  type Choice,
  type Combination,
  type Combined,
  choiceOf,
  type FigurePanel,
  type SeriesPanel,
  type Source,
  type TopPanel,
  variableName,
} from '../document.js';
import type { Reader } from './answer.js';
import type { Context } from './context.js';
import { barOf, coloured, earlierLines } from './earlier-lines.js';
import type { GroupForm } from './request.js';
import type { FigureResult, SeriesResult, TopResult } from './results.js';

/** Points of a line, bars of a bar chart, and points of a figure's course. */
const points = { line: 240, area: 240, bar: 60, trend: 30 } as const;

/** Name of the line of the devices beyond those that have lines of their own. */
const others = 'All others';

/** A panel whose devices are combined. */
type Grouped<Of> = Of & { readonly combine: GroupForm['combine'] };

interface Part {
  readonly source: Source & { readonly choice: Choice };
  readonly read: Reader<readonly GroupLineFragment[]>;
}

const formOf = ({ variable }: Source, { aggregate = 'avg', combine, split }: Grouped<Combined<string>>): GroupForm => ({
  variable: variableName(variable),
  perDevice: aggregate,
  combine,
  ...(split !== undefined && { split }),
});

/** Returns how the numbers of devices are shown together. Counts of values and devices have no unit of the variable. */
const lookIn = (
  { variable, unit }: Source,
  { aggregate, combine }: Combined<string>,
  { facts }: Context,
  own: string | null | undefined,
): Look => {
  if (combine === 'count') return { unit: 'devices' };
  if (aggregate === 'count') return { unit: 'values' };
  // A number of several devices has no word.
  return { unit: unit ?? own ?? null, decimals: facts.get(variableName(variable))?.decimals ?? null };
};

/** Asks for lines over many devices, and for those of an earlier range. */
export const askGroupSeries = (panel: Grouped<SeriesPanel>, context: Context): Reader<SeriesResult> => {
  const { sources, compare, draw } = panel;
  const every = panel.every ?? (compare && draw === 'bar' ? barOf(context) : undefined);
  const buckets = every === undefined ? { points: points[draw] } : { calendarInterval: every };
  const earlier = compare && earlierOf(context.range, context, compare);
  const partsOf = (ends?: Ends) =>
    sources.map(({ variable, unit, label, ...choice }): Part => {
      const source = { variable, ...(unit && { unit }), ...(label && { label }), choice };
      const form = { ...formOf(source, panel), ...buckets, ...(ends && { ends }) };
      return { source, read: context.request.group(choiceOf(choice), form) };
    });
  const read = readerOf(partsOf(), panel, context);
  const readBefore = earlier && readerOf(partsOf(earlier.whole), panel, context);
  return (answer) => {
    const lines = read(answer);
    const shown = earlier ? [...lines.map(coloured), ...earlierLines(readBefore!(answer), earlier, every)] : lines;
    const drawn = shown.filter(({ ts }) => ts.length > 0);
    return { kind: 'series', lines: drawn, left: 0, gone: 0, ...(earlier && { axisEnd: earlier.axisEnd }) };
  };
};

const readerOf =
  (parts: readonly Part[], panel: Combined<string>, context: Context): Reader<Line[]> =>
  (answer) =>
    parts.flatMap((part) => linesOf(part, panel, parts.length > 1, context)(answer));

const linesOf =
  ({ source, read }: Part, panel: Combined<string>, several: boolean, context: Context): Reader<Line[]> =>
  (answer) =>
    read(answer).map((line): Line => {
      const own = source.label || variableName(source.variable);
      const of = line.others ? others : (line.name ?? (panel.split === undefined ? own : `No ${panel.split}`));
      const { interval, ts, values, lowest, highest } = line;
      return {
        name: panel.split !== undefined && several ? `${of} ${own}` : of,
        ...lookIn(source, panel, context, line.unit),
        interval,
        ts,
        values,
        ...(lowest.length > 0 && { lowest, highest }),
        notes: ts.map((_, index) => sharesOf(line, index)),
      };
    });

/** Says how many devices a point combines. */
const sharesOf = ({ devices, expected, bridged }: GroupLineFragment, index: number): string => {
  const bridges = bridged[index]! > 0 ? `, ${bridged[index]!.toLocaleString()} after a gap` : '';
  return `${devices[index]!.toLocaleString()} of ${counted(expected[index]!, 'device')}${bridges}`;
};

/** Asks for one number of many devices, its course, and the number of an earlier range. */
export const askGroupFigure = (panel: Grouped<FigurePanel>, context: Context): Reader<FigureResult> => {
  const { source, trend, compare } = panel;
  const { request } = context;
  const { variable: _variable, unit: _unit, label: _label, ...choice } = source;
  const form = formOf(source, panel);
  const read = request.group(choiceOf(choice), form);
  const readTrend = trend ? request.group(choiceOf(choice), { ...form, points: points.trend }) : undefined;
  const ends = compare && earlierOf(context.range, context, compare).sofar;
  const readBefore = ends && request.group(choiceOf(choice), { ...form, ends });
  return (answer) => {
    const [line] = read(answer);
    const before = readBefore?.(answer)[0]?.values[0];
    return {
      kind: 'figure',
      value: line?.values[0],
      look: lookIn(source, panel, context, line?.unit),
      at: undefined,
      of: line === undefined || line.ts.length === 0 ? undefined : sharesOf(line, 0),
      trend: readTrend?.(answer)[0]?.values ?? [],
      ...(ends && { earlier: { value: before, ends, now: { from: context.from, to: context.to } } }),
    };
  };
};

/** Asks for the devices, products or tags with the highest or lowest numbers. */
export const askGroupTop = (panel: Grouped<TopPanel>, context: Context): Reader<TopResult> => {
  const { source, order, size, split = 'device' } = panel;
  const { variable: _variable, unit: _unit, label: _label, ...choice } = source;
  const read = context.request.group(choiceOf(choice), formOf(source, { ...panel, split }));
  const sign = order === 'highest' ? -1 : 1;
  return (answer) => {
    const lines = read(answer);
    const entries = lines.flatMap(({ key, name, others: isOthers, values: [value] }) =>
      isOthers || value === undefined
        ? []
        : [{ id: split === 'device' ? key : null, name: name ?? `No ${split}`, value }],
    );
    return {
      kind: 'top',
      entries: entries.toSorted((a, b) => sign * (a.value - b.value)).slice(0, size),
      look: lookIn(source, panel, context, lines[0]?.unit),
      left: lines.find((line) => line.others)?.devices[0] ?? 0,
    };
  };
};

/** Returns a panel with what combines its devices; undefined if nothing does. */
export const groupedOf = <Of extends Combined<string>>(panel: Of, combine: Combination | 'spread' | undefined) =>
  combine === undefined ? undefined : ({ ...panel, combine } as Grouped<Of>);
