import { useMemo } from 'preact/hooks';
import { type Cell, csvOf } from '../format/csv.js';
import { formatTime, zone } from '../format/time.js';
import { type Band, bandAt } from './bands.js';
import { isBoolean, type Line, readValue, tableColumns } from './plot-data.js';
import { tableLines } from './spread.js';
import { TableFrame } from './table-frame.js';

const mostRows = 500;

/** A column of the numbers of a chart, beside that of the time. */
interface Column {
  readonly title: string;
  readonly isNumber: boolean;
  /** Text of a row's cell. */
  readonly shown: (row: number) => string;
  /** Value of a row in a file. */
  readonly written: (row: number) => Cell;
}

/** The numbers of a chart as a table, the newest first. */
export function Numbers({ label, lines, bands }: { label: string; lines: readonly Line[]; bands: readonly Band[] }) {
  const { ts, columns } = useMemo(() => numbersOf(lines), [lines]);
  const rows = ts.map((_, index) => index).toReversed();
  return (
    <TableFrame label={label} shape="numbers">
      <table aria-label={label}>
        <thead>
          <tr>
            <th>Time ({zone.value})</th>
            {columns.map(({ title, isNumber }) => (
              <th key={title} class={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
            {bands.length > 0 && <th>Alert</th>}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, mostRows).map((index) => (
            <tr key={ts[index]}>
              <td>{formatTime(ts[index]!)}</td>
              {columns.map(({ title, isNumber, shown }) => (
                <td key={title} class={isNumber ? 'number' : undefined}>
                  {shown(index)}
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
    </TableFrame>
  );
}

/** Writes the numbers of a chart as CSV, the oldest first, with times in UTC. */
export const csvOfNumbers = (lines: readonly Line[]): string => {
  const { ts, columns } = numbersOf(lines);
  const rows = ts.map((at, row) => [isoOf(at), ...columns.map(({ written }) => written(row))]);
  return csvOf(['Time', ...columns.map(({ title }) => title)], rows);
};

const isoOf = (at: number): string => new Date(at * 1000).toISOString();

const numbersOf = (drawn: readonly Line[]): { ts: readonly number[]; columns: readonly Column[] } => {
  const lines = tableLines(drawn);
  const [ts, ...values] = tableColumns(lines);
  return {
    ts: Array.from(ts),
    columns: lines.flatMap((line, index) => columnsOf(line, Array.from(ts), values[index]!)),
  };
};

/** Returns the column of a line. That of an earlier range has one of its own times before it. */
const columnsOf = (line: Line, ts: readonly number[], values: ArrayLike<number | null | undefined>): Column[] => {
  const { name, unit, measured } = line;
  const look = isBoolean(line) ? line : { ...line, unit: null };
  const own: Column = {
    title: unit ? `${name} (${unit})` : name,
    isNumber: true,
    shown: (row) => (values[row] == null ? '' : readValue(look, values[row])),
    written: (row) => values[row],
  };
  if (measured === undefined) return [own];
  const places = new Map(line.ts.map((at, index) => [at, measured[index]!]));
  const at = <Of,>(row: number, of: (at: number) => Of, none: Of): Of => {
    const found = places.get(ts[row]!);
    return found === undefined ? none : of(found);
  };
  return [
    {
      title: `Time of ${name}`,
      isNumber: false,
      shown: (row) => at(row, formatTime, ''),
      written: (row) => at(row, isoOf, ''),
    },
    own,
  ];
};
