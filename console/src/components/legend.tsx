import { BandLegend } from './band-legend.js';
import type { Band } from './bands.js';
import { type Level, LevelLegend } from './levels.js';
import { type Line, mostColours, strokeOf } from './plot-data.js';

/** Name of the group of lines that have no colour of their own. */
export const others = '\0others';

/**
 * The names of a chart's lines. A click leaves one line alone, and a second click shows all again; with Ctrl or Shift
 * it adds a line or takes one away. The lines without a colour of their own are one entry.
 */
export const Legend = ({
  lines,
  bands,
  levels,
  alone,
  choose,
}: {
  lines: readonly Line[];
  bands: readonly Band[];
  levels: readonly Level[];
  /** Names of the lines that are shown; empty when all are. */
  alone: ReadonlySet<string>;
  choose: (names: ReadonlySet<string>) => void;
}) => {
  const rest = lines.length - mostColours;
  const onClick = (name: string, event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) choose(alone.symmetricDifference(new Set([name])));
    else choose(alone.size === 1 && alone.has(name) ? new Set() : new Set([name]));
  };
  const entry = (name: string, title: string, index: number, line?: Line) => (
    <li key={name}>
      <button
        type="button"
        class={alone.size === 0 || alone.has(name) ? 'entry' : 'entry off'}
        aria-pressed={alone.has(name)}
        title="Show only this line; with Ctrl add it"
        onClick={(event) => onClick(name, event)}
      >
        <svg width="18" height="8" aria-hidden="true">
          <line
            x1="0"
            x2="18"
            y1="4"
            y2="4"
            stroke={`var(${strokeOf(index, line).color})`}
            stroke-width="3"
            stroke-dasharray={strokeOf(index, line).dash.join(' ')}
          />
        </svg>
        {title}
      </button>
    </li>
  );
  return (
    <ul class="legend">
      {lines.slice(0, mostColours).map((line, index) => entry(line.name, line.name, index, line))}
      {rest > 0 && entry(others, `${rest.toLocaleString()} more`, mostColours)}
      <BandLegend bands={bands} />
      <LevelLegend levels={levels} />
    </ul>
  );
};
