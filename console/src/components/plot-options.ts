import uPlot from 'uplot';
import { formatIn } from '../format/time.js';
import { type Band, drawBands } from './bands.js';
import { drawLevels, type Level } from './levels.js';
import {
  axisLabels,
  isBoolean,
  isWhole,
  type Line,
  laneBase,
  lonelyPoints,
  type Reading,
  type Shape,
  strokeOf,
  tickUnit,
} from './plot-data.js';
import { drawSpreads, endsOf } from './spread.js';
import { ticksBetween } from './ticks.js';

/** A reference that always has the latest value. */
export interface Current<Value> {
  current: Value;
}

export interface PlotProps {
  readonly lines: readonly Line[];
  readonly shape: Shape;
  readonly from: number;
  readonly to: number;
  readonly bands: readonly Band[];
  /** Marked ranges of values, drawn behind the lines. */
  readonly levels: readonly Level[];
  /** Ends that the value axis has at least. */
  readonly limits: { readonly min?: number | undefined; readonly max?: number | undefined };
  /** Height in pixels; undefined to fill the parent element. */
  readonly height: number | undefined;
  /** Whether the line of an index is drawn. */
  readonly isShown: (index: number) => boolean;
  /** Shows only a part of the time; undefined when the range is fixed. */
  readonly zoom: ((from: number, to: number) => void) | undefined;
  /** Goes back to the range before the zoom; undefined without one. */
  readonly back: (() => void) | undefined;
  /** Receives the handler of the keys that move the cursor. */
  readonly keys: Current<((event: KeyboardEvent) => void) | undefined>;
}

/** Point under the cursor. */
export interface Pointed {
  readonly at: number;
  /** Position in pixels from the left and the top of the plot. */
  readonly left: number;
  readonly top: number;
  readonly readings: readonly Reading[];
  readonly isKeyboard: boolean;
}

/**
 * Returns the options of a plot. The options read the latest properties, so that a change of the range does not create
 * a new plot.
 */
export const optionsOf = (
  element: HTMLElement,
  latest: Current<PlotProps>,
  zoneName: string,
  point: (plot: uPlot) => void,
): uPlot.Options => {
  const { lines, shape, height, isShown } = latest.current;
  const color = colorsOf(element);
  const lanes = lines.every(isBoolean);
  const axis = {
    font: `11px ${getComputedStyle(element).fontFamily}`,
    stroke: color('--quiet'),
    grid: { stroke: color('--grid'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: height ?? element.clientHeight,
    legend: { show: false },
    padding: [tickUnit(lines) === '' && lines[0]?.unit ? 26 : 8, 26, 0, 0],
    cursor: {
      y: false,
      points: { size: 7 },
      drag: { x: latest.current.zoom !== undefined, y: false, setScale: false, dist: 6 },
      dataIdx: (plot, series, index) => nearIndex(plot, series, index),
      bind: { dblclick: () => () => (latest.current.back?.(), null) },
    },
    scales: {
      x: { range: () => [latest.current.from, latest.current.to] },
      y: {
        range: (_plot, min, max) => {
          const { limits, lines: drawn, isShown: isDrawn } = latest.current;
          const ends = endsOf(drawn, isDrawn, min, max);
          const [low, high] = rangeOf(lanes ? lines.length : undefined, shape, ...ends);
          return lanes ? [low, high] : [Math.min(limits.min ?? low, high), Math.max(limits.max ?? high, low)];
        },
      },
    },
    axes: [
      {
        ...axis,
        splits: (plot, _axis, min, max) => ticksBetween(min, max, plot.width / 60, zoneName),
        values: (_plot, splits) => labelsOf(splits, zoneName, latest.current.to - latest.current.from),
        size: 26,
        gap: 6,
      },
      {
        ...axis,
        ...(lanes
          ? {
              splits: () =>
                lines.length === 1 ? [0.85, 0.15] : lines.map((_, index) => laneBase(index, lines.length)),
            }
          : { splits: undefined, ...(isWhole(lines) && { incrs: wholeSteps }) }),
        values: (_plot: uPlot, splits: number[]) => axisLabels(latest.current.lines, splits),
        size: (_plot: uPlot, labels: string[] | null) => widthOf(labels),
        gap: 6,
      } as uPlot.Axis,
    ],
    series: [
      {},
      ...lines.map((line, index) => ({ ...seriesOf(line, index, latest.current, lanes, color), show: isShown(index) })),
    ],
    hooks: {
      drawClear: [
        (plot) => {
          if (!lanes) drawLevels(plot, latest.current.levels, color);
          drawBands(plot, latest.current.bands, color);
          drawSpreads(plot, latest.current.lines, latest.current.isShown, color);
        },
      ],
      setCursor: [point],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < 6) return;
          const [start, end] = [left, left + width].map((at) => Math.round(plot.posToVal(at, 'x')));
          plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          if (end! > start!) latest.current.zoom?.(start!, end!);
        },
      ],
    },
  };
};

const wholeSteps = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat();

const seriesOf = (
  line: Line,
  index: number,
  { shape, lines }: PlotProps,
  lanes: boolean,
  color: (name: string) => string,
): uPlot.Series => {
  const stroke = color(strokeOf(index, line).color);
  const isCompared = lines.some(({ measured }) => measured !== undefined);
  const common = { label: line.name, stroke, width: 1.5, spanGaps: false };
  if (shape === 'bars')
    return {
      ...common,
      points: { show: false },
      // Bars of an earlier range are pale, and wider than the others, which are before them.
      ...(line.measured === undefined
        ? { width: 0, fill: stroke, paths: barsOf(isCompared ? 0.5 : 1) }
        : { width: 1, fill: translucent(stroke, 0.25), paths: barsOf(1) }),
    };
  const points = {
    show: false,
    size: 5,
    fill: stroke,
    filter: (plot: uPlot, series: number) => {
      const column = plot.data[series]!;
      if (lanes) return null;
      return line.ts.length < 40 ? Array.from(column.keys()).filter((at) => column[at] != null) : lonelyPoints(column);
    },
  };
  if (lanes) {
    const base = laneBase(index, lines.length);
    const paths = uPlot.paths.stepped!({ align: 1 });
    return { ...common, points, paths, fill: translucent(stroke, 0.25), fillTo: () => base };
  }
  const fill =
    line.lowest === undefined && line.measured === undefined && (shape === 'areas' || lines.length === 1)
      ? translucent(stroke, shape === 'areas' ? 0.2 : 0.08)
      : undefined;
  return {
    ...common,
    points,
    dash: strokeOf(index, line).dash,
    ...(fill !== undefined && { fill, fillTo: (plot: uPlot) => plot.scales['y']?.min ?? 0 }),
  };
};

const barsOf = (share: number) => uPlot.paths.bars!({ size: [0.85 * share, 48 * share], align: 1 });

const translucent = (color: string, alpha: number): string => {
  const [, parts] = /^rgb\((.*)\)$/.exec(color) ?? [];
  return parts === undefined ? 'transparent' : `rgb(${parts.replaceAll(',', ' ')} / ${alpha})`;
};

const rangeOf = (lanes: number | undefined, shape: Shape, min: number | null, max: number | null): [number, number] => {
  if (lanes !== undefined) return [0, lanes];
  if (min === null || max === null) return [0, 1];
  return uPlot.rangeNum(shape === 'bars' ? 0 : min, max, 0.1, true) as [number, number];
};

/** Returns the index of the value that is nearest to the cursor in a series with instants of its own. */
const nearIndex = (plot: uPlot, series: number, index: number): number => {
  const column = plot.data[series]!;
  if (series === 0 || column[index] != null) return index;
  for (let away = 1; away < 60; away++)
    for (const at of [index - away, index + away]) if (column[at] != null) return at;
  return index;
};

/** Returns the width of the value axis with its labels, in pixels. */
const widthOf = (labels: readonly string[] | null): number =>
  Math.max(36, ...(labels ?? []).map((label) => 14 + 6.6 * label.length));

/**
 * Returns a function that resolves the colour of a custom property for a canvas: of `light-dark()`, the colour in
 * effect.
 */
const colorsOf = (element: HTMLElement) => (name: string) => {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
};

const weekdaysUpTo = 8 * 86_400;

/** Returns tick labels: the date at midnight (with the weekday in short ranges), otherwise the time of day. */
const labelsOf = (splits: readonly number[], zoneName: string, length: number): string[] => {
  const seconds = (splits[1] ?? 0) - (splits[0] ?? 0) < 60 ? ({ second: '2-digit' } as const) : {};
  const time = formatIn(zoneName, { hour: '2-digit', minute: '2-digit', ...seconds });
  const day = formatIn(
    zoneName,
    length <= weekdaysUpTo ? { weekday: 'short', day: 'numeric' } : { day: 'numeric', month: 'short' },
  );
  const clock = formatIn(zoneName, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
  return splits.map((at) => (clock.format(at * 1000) === '00:00:00' ? day.format(at * 1000) : time.format(at * 1000)));
};
