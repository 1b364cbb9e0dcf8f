import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import { useZoom } from '../browser/use-zoom.js';
import { download } from '../format/csv.js';
import { type Band, bandsWithin } from './bands.js';
import { Legend, others } from './legend.js';
import type { Level } from './levels.js';
import { csvOfNumbers, Numbers } from './numbers.js';
import { Plot } from './plot.js';
import { isBoolean, type Line, mostColours, type Shape } from './plot-data.js';

/** Heights in pixels: of a chart that stands alone, of a chart among others, and of a tile. */
const heights = { tall: 260, low: 170, tile: 110 } as const;

/** Height in pixels that is left for the head of a screen, the legend and the margins when a chart fills the window. */
const around = 400;

export interface ChartProps {
  readonly label: string;
  readonly lines: readonly Line[];
  /** Ends of the time axis, in Unix seconds. */
  readonly from: number;
  readonly to: number;
  readonly shape?: Shape;
  /** Periods of open episodes, drawn behind the lines. */
  readonly bands?: readonly Band[];
  /** Marked ranges of values. */
  readonly levels?: readonly Level[];
  /** Values that the axis must include at least. */
  readonly limits?: { readonly min?: number | undefined; readonly max?: number | undefined };
  /** Size: a height, the rest of the window (`fill`), or that of the parent element (`parent`). */
  readonly size?: keyof typeof heights | 'fill' | 'parent';
  /** Whether the chart shows the range of the address, so that dragging changes it. */
  readonly zooms?: boolean;
}

const none: readonly Band[] = [];
const noLevels: readonly Level[] = [];
const noLimits = {};

/** Draws lines over time. Each unit has a chart of its own, as degrees and volts cannot share an axis. */
export const Charts = ({ label, lines, ...rest }: ChartProps) => {
  const units = useMemo(() => {
    const groups = new Map<string, Line[]>();
    for (const line of lines) groups.set(groupOf(line), [...(groups.get(groupOf(line)) ?? []), line]);
    return [...groups];
  }, [lines]);
  if (units.length < 2) return <Chart label={label} lines={lines} {...rest} />;
  return (
    <div class={rest.size === 'parent' ? 'charts parent' : 'charts'} role="group" aria-label={label}>
      {units.map(([unit, own]) => (
        <Chart
          key={unit}
          label={[...new Set(own.map(({ name }) => name))].join(', ')}
          lines={own}
          {...rest}
          size={rest.size === 'parent' ? 'parent' : 'low'}
        />
      ))}
    </div>
  );
};

/**
 * Returns the chart that a line belongs to: that of its unit. Booleans share one, and another line without a unit
 * shares its chart only with lines of the same name.
 */
const groupOf = (line: Line): string => (isBoolean(line) ? '(boolean)' : (line.unit ?? `(${line.name})`));

/**
 * A chart of lines over time in the chosen time zone. The key `t` switches to a table of the same numbers, and the
 * arrow keys move the cursor. A click on a name in the legend leaves its line alone.
 */
export function Chart({
  label,
  lines,
  from,
  to,
  shape = 'lines',
  bands = none,
  levels = noLevels,
  limits = noLimits,
  size = 'tall',
  zooms = false,
}: ChartProps) {
  const [asTable, setAsTable] = useState(false);
  const [alone, setAlone] = useState<ReadonlySet<string>>(new Set());
  const { zoom, back } = useZoom();
  const keys = useRef<((event: KeyboardEvent) => void) | undefined>(undefined);
  const drawn = useMemo(() => bandsWithin(bands, from, to), [bands, from, to]);
  const isShown = useCallback((index: number) => alone.size === 0 || alone.has(nameAt(lines, index)), [alone, lines]);
  const lanes = lines.length > 0 && lines.every(isBoolean);
  const height =
    size === 'parent'
      ? undefined
      : lanes
        ? 44 + 26 * Math.max(2, lines.length)
        : size === 'fill'
          ? Math.max(heights.tall, innerHeight - around)
          : heights[size];
  const toggle = () => setAsTable((now) => !now);
  return (
    <figure
      class={size === 'parent' ? 'chart parent' : 'chart'}
      aria-label={label}
      tabIndex={0}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        if (event.key === 't') toggle();
        else keys.current?.(event);
      }}
    >
      {asTable ? (
        <Numbers label={label} lines={lines} bands={drawn} />
      ) : (
        <Plot
          lines={lines}
          shape={shape}
          from={from}
          to={to}
          bands={drawn}
          levels={levels}
          limits={limits}
          height={height}
          isShown={isShown}
          zoom={zooms ? zoom : undefined}
          back={zooms ? back : undefined}
          keys={keys}
        />
      )}
      <figcaption>
        <Legend lines={lines} bands={drawn} levels={lanes ? noLevels : levels} alone={alone} choose={setAlone} />
        <span class="chart-actions">
          {zooms && back !== undefined && (
            <button type="button" onClick={back} title="Double click in the chart, or Backspace">
              Zoom out
            </button>
          )}
          {asTable && (
            <button type="button" onClick={() => download(`${label.slice(0, 80)}.csv`, csvOfNumbers(lines))}>
              Save as CSV
            </button>
          )}
          <button type="button" aria-pressed={asTable} onClick={toggle} aria-keyshortcuts="t">
            {asTable ? 'As a chart' : 'As a table'}
          </button>
        </span>
      </figcaption>
    </figure>
  );
}

/** Returns the name by which the legend knows a line: its own, or that of the group. */
const nameAt = (lines: readonly Line[], index: number): string =>
  index < mostColours ? (lines[index]?.name ?? '') : others;
