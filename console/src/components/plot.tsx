import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { theme } from '../theme.js';
import { formatIn, formatTime, zone } from '../time.js';
import { shown } from '../value.js';
import { type Band, drawBands } from './bands.js';
import { ticksBetween } from './ticks.js';

/** One line of a chart: ascending instants in Unix seconds, and a value at each. */
export interface Line {
  readonly name: string;
  readonly unit?: string | null;
  readonly ts: readonly number[];
  readonly values: readonly (number | null)[];
}

/** Colours and dashes of lines. The dash distinguishes lines without their colour. */
const strokes = [
  { color: '--series-1', dash: [] },
  { color: '--series-2', dash: [6, 3] },
  { color: '--series-3', dash: [2, 2] },
  { color: '--series-4', dash: [8, 3, 2, 3] },
  { color: '--series-5', dash: [12, 4] },
  { color: '--series-6', dash: [4, 4] },
] as const;

/** Returns the colour and dash of a line, by its index. */
export const strokeOf = (index: number) => ({
  color: strokes[index % strokes.length]!.color,
  // Lines of the same colour have different dashes.
  dash: strokes[(index + Math.floor(index / strokes.length)) % strokes.length]!.dash,
});

/** Draws lines over time. For screen readers, the numbers are in the table of the chart. */
export function Plot({
  lines,
  of,
  from,
  to,
  bands,
  height,
}: {
  lines: readonly Line[];
  of: uPlot.AlignedData;
  from: number;
  to: number;
  bands: readonly Band[];
  height: number;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const shownBands = useRef(bands);
  shownBands.current = bands;
  const names = lines.map(({ name }) => name).join('\n');
  const zoneName = zone.value;
  const isDark = useIsDark();
  useEffect(() => {
    const element = frame.current!;
    const color = colorsOf(element);
    const font = `11px ${getComputedStyle(element).fontFamily}`;
    const axis = {
      font,
      stroke: color('--quiet'),
      grid: { stroke: color('--line'), width: 1 },
      ticks: { show: false },
    };
    const made = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { points: { size: 6 } },
        scales: { x: { range: () => [from, to] } },
        axes: [
          {
            ...axis,
            splits: (_plot, _axis, min, max) => ticksBetween(min, max, element.clientWidth / 110, zoneName),
            values: (_plot, splits) => labelsOf(splits, zoneName),
            size: 26,
            gap: 6,
          },
          { ...axis, size: (_plot, labels) => widthOf(labels), gap: 6 },
        ],
        series: [
          {},
          ...lines.map((line, index) => ({
            label: line.name,
            stroke: color(strokeOf(index).color),
            dash: [...strokeOf(index).dash],
            width: 1.5,
            spanGaps: true,
            points: { show: line.ts.length < 60, fill: color(strokeOf(index).color), size: 4 },
          })),
        ],
        hooks: {
          drawClear: [(instance) => drawBands(instance, shownBands.current, color)],
          setCursor: [(instance) => announce(instance, element, lines)],
        },
      },
      of,
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [names, zoneName, from, to, height, theme.value, isDark]);
  useEffect(() => plot.current?.setData(of), [of]);
  useEffect(() => plot.current?.redraw(false), [bands]);
  return (
    <div class="plot" ref={frame} style={{ minHeight: height }}>
      <output class="reading" aria-live="off" />
    </div>
  );
}

/** Returns the width of the value axis with its labels, in pixels. */
const widthOf = (labels: readonly string[] | null): number =>
  Math.max(44, ...(labels ?? []).map((label) => 16 + 7 * label.length));

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

/** Whether the system prefers dark colours. A change of the preference redraws the canvas. */
const useIsDark = (): boolean => {
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const onChange = () => setDark(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, []);
  return isDark;
};

/** Writes the values at the cursor above the plot. */
const announce = (plot: uPlot, element: HTMLElement, lines: readonly Line[]) => {
  const output = element.querySelector('output')!;
  const index = plot.cursor.idx;
  if (index == null) {
    output.textContent = '';
    return;
  }
  const at = plot.data[0][index]!;
  const values = lines.map(({ name, unit }, line) => {
    const value = plot.data[line + 1]?.[index];
    return value == null ? undefined : `${name} ${shown(value, unit)}`;
  });
  output.textContent = [formatTime(at), ...values.filter((value) => value !== undefined)].join('  ·  ');
};

/** Returns tick labels: the date at midnight, otherwise the time of day. */
const labelsOf = (splits: readonly number[], zoneName: string): string[] => {
  const time = formatIn(zoneName, { hour: '2-digit', minute: '2-digit' });
  const day = formatIn(zoneName, { day: 'numeric', month: 'short' });
  const clock = formatIn(zoneName, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return splits.map((seconds) =>
    clock.format(seconds * 1000) === '00:00' ? day.format(seconds * 1000) : time.format(seconds * 1000),
  );
};
