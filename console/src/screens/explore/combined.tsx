import { useMemo } from 'preact/hooks';
import type { GroupLineFragment } from '../../api/documents.js';
import { type ChartProps, Charts } from '../../components/chart.js';
import type { Line } from '../../components/plot-data.js';
import { Empty } from '../../components/state.js';
import { csvOf } from '../../format/csv.js';
import { type Look, lookAfter } from '../../format/look.js';
import { duration } from '../../format/time.js';
import { counted } from '../../format/value.js';
import { combinations as oneLine } from '../dashboard/document.js';

/** Number of devices up to which each has a line of its own at first. */
export const mostApart = 30;

/** Number of variables that are drawn of combined devices. */
export const mostCombined = 3;

/** Words for what makes one line of many devices. An empty one is a line for each. */
export const combinations = { '': 'A line each', ...oneLine } as const;

/** One line of many devices, and its variable. */
export interface Combined {
  readonly variable: string;
  readonly line: GroupLineFragment;
  /** The look of the variable's values. */
  readonly look?: Look | undefined;
}

/** The chart of variables of many devices, with a line or a band for each variable. */
export function CombinedPart({
  of,
  isCounted,
  from,
  to,
  label = 'Explored values',
  shape = 'lines',
  size = 'fill',
}: {
  of: readonly Combined[];
  /** Whether the numbers are numbers of devices. */
  isCounted: boolean;
  from: number;
  to: number;
} & Partial<Pick<ChartProps, 'label' | 'shape' | 'size'>>) {
  const lines = useMemo(
    () =>
      of
        .filter(({ line: { ts } }) => ts.length > 0)
        .map(({ variable, look, line: { unit, interval, ts, values, lowest, highest, devices, expected } }): Line => {
          const notes = ts.map((_, at) => shareOf(devices[at]!, expected[at]!));
          const spread = lowest.length > 0 && { lowest, highest };
          const shows = isCounted ? { unit: 'devices' } : { unit, ...lookAfter('sum', look) };
          return { name: variable, ...shows, interval, ts, values, ...spread, notes };
        }),
    [of, isCounted],
  );
  const [first] = of;
  if (lines.length === 0 || first === undefined)
    return (
      <Empty title="No value in this range">
        <p>Choose another range, or other variables.</p>
      </Empty>
    );
  const { devices, expected, interval } = first.line;
  return (
    <>
      <p class="quiet">
        {shareOf(Math.max(0, ...devices), expected.at(-1) ?? 0)}
        {interval !== null && ` · buckets of ${duration(interval)}`}
      </p>
      <Charts label={label} lines={lines} from={from} to={to} shape={shape} size={size} zooms />
    </>
  );
}

const shareOf = (devices: number, expected: number): string =>
  `${devices.toLocaleString()} of ${counted(expected, 'device')}`;

/** Returns combined lines as a file. */
export const csvOfCombined = (of: readonly Combined[]): string =>
  csvOf(
    ['time', 'unix', 'variable', 'unit', 'lowest', 'value', 'highest', 'devices', 'expected'],
    of.flatMap(({ variable, line: { unit, ts, values, lowest, highest, devices, expected } }) =>
      ts.map((at, index) => [
        new Date(at * 1000).toISOString(),
        at,
        variable,
        unit,
        lowest[index] ?? null,
        values[index],
        highest[index] ?? null,
        devices[index],
        expected[index],
      ]),
    ),
  );
