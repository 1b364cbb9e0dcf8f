import { useMemo, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { formatTime, zone } from '../time.js';
import { shown } from '../value.js';
import { BandLegend } from './band-legend.js';
import { type Band, bandAt, bandsWithin } from './bands.js';
import { type Line, Plot, strokeOf } from './plot.js';

/** Heights in pixels of a chart that stands alone, and of a chart among others. */
const heights = { tall: 220, low: 150 } as const;

interface ChartProps {
  readonly label: string;
  readonly lines: readonly Line[];
  /** Ends of the time axis, in Unix seconds. */
  readonly from: number;
  readonly to: number;
  /** Periods of open episodes, drawn behind the lines. */
  readonly bands?: readonly Band[];
  readonly size?: keyof typeof heights;
}

const none: readonly Band[] = [];

/** Draws lines over time. Each unit has a chart of its own, as degrees and volts cannot share an axis. */
export const Charts = ({ label, lines, from, to, bands = none }: Omit<ChartProps, 'size'>) => {
  const units = [...new Set(lines.map(unitOf))];
  if (units.length < 2) return <Chart label={label} lines={lines} from={from} to={to} bands={bands} />;
  return (
    <div class="charts" role="group" aria-label={label}>
      {units.map((unit) => {
        const own = lines.filter((line) => unitOf(line) === unit);
        const title = [...new Set(own.map(({ name }) => name))].join(', ');
        return <Chart key={unit} label={title} lines={own} from={from} to={to} bands={bands} size="low" />;
      })}
    </div>
  );
};

/**
 * Returns the unit of a line. A line without a unit, such as one of true and false, shares its chart only with lines of
 * the same name.
 */
const unitOf = ({ unit, name }: Line): string => unit ?? `(${name})`;

/** A chart of lines over time in the chosen time zone. The key `t` switches to a table of the same numbers. */
export function Chart({ label, lines, from, to, bands = none, size = 'tall' }: ChartProps) {
  const [asTable, setAsTable] = useState(false);
  const joined = useMemo(() => join(lines), [lines]);
  const drawn = useMemo(() => bandsWithin(bands, from, to), [bands, from, to]);
  const toggle = () => setAsTable((now) => !now);
  return (
    <figure
      class="chart"
      aria-label={label}
      tabIndex={0}
      onKeyDown={(event) => {
        if (event.key === 't' && event.target === event.currentTarget) toggle();
      }}
    >
      {asTable ? (
        <Numbers label={label} lines={lines} of={joined} bands={drawn} />
      ) : (
        <Plot lines={lines} of={joined} from={from} to={to} bands={drawn} height={heights[size]} />
      )}
      <figcaption>
        <ul class="legend">
          {lines.map(({ name, unit }, index) => (
            <li key={name}>
              <svg width="24" height="8" aria-hidden="true">
                <line
                  x1="0"
                  x2="24"
                  y1="4"
                  y2="4"
                  stroke={`var(${strokeOf(index).color})`}
                  stroke-width="2"
                  stroke-dasharray={strokeOf(index).dash.join(' ')}
                />
              </svg>
              {name}
              {unit ? ` (${unit})` : ''}
            </li>
          ))}
          <BandLegend bands={drawn} />
        </ul>
        <button type="button" aria-pressed={asTable} onClick={toggle} aria-keyshortcuts="t">
          {asTable ? 'As a chart' : 'As a table'}
        </button>
      </figcaption>
    </figure>
  );
}

/** Joins lines over all of their instants. A missing value is a gap that the line spans. */
const join = (lines: readonly Line[]): uPlot.AlignedData =>
  lines.length === 0 ? [[]] : uPlot.join(lines.map(({ ts, values }) => [[...ts], [...values]] as uPlot.AlignedData));

const mostRows = 500;

/** The numbers of a chart as a table, the newest first. */
function Numbers({
  label,
  lines,
  of,
  bands,
}: {
  label: string;
  lines: readonly Line[];
  of: uPlot.AlignedData;
  bands: readonly Band[];
}) {
  const [ts, ...values] = of;
  const rows: number[] = Array.from(ts, (_, index) => index).toReversed();
  return (
    <div class="table-frame numbers">
      <table aria-label={label}>
        <thead>
          <tr>
            <th>Time ({zone.value})</th>
            {lines.map(({ name, unit }) => (
              <th key={name} class="number">
                {name}
                {unit ? ` (${unit})` : ''}
              </th>
            ))}
            {bands.length > 0 && <th>Alert</th>}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, mostRows).map((index) => (
            <tr key={ts[index]}>
              <td>{formatTime(ts[index]!)}</td>
              {values.map((line, place) => (
                <td key={lines[place]?.name} class="number">
                  {line[index] == null ? '' : shown(line[index])}
                </td>
              ))}
              {bands.length > 0 && <td>{bandAt(bands, ts[index]!)?.severity}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > mostRows && (
        <p class="quiet">
          The newest {mostRows} of {rows.length} are shown.
        </p>
      )}
    </div>
  );
}
