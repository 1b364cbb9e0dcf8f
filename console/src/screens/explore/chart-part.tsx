import { useEffect, useMemo } from 'preact/hooks';
import type { ExploredLineFragment } from '../../api/documents.js';
import { type Address, useAddress } from '../../browser/address.js';
import { Charts } from '../../components/chart.js';
import { Choices } from '../../components/choices.js';
import type { Line } from '../../components/plot-data.js';
import { Empty } from '../../components/state.js';
import { csvOf, download } from '../../format/csv.js';
import { type Look, lookAfter } from '../../format/look.js';
import { duration } from '../../format/time.js';
import { counted } from '../../format/value.js';
import { AddPanel, type Chart } from '../dashboard/add-panel.js';
import { type Combined, CombinedPart, combinations, csvOfCombined, mostApart, mostCombined } from './combined.js';
import type { Explored } from './explored.js';

/** Maximum number of lines that are drawn. The exported file has all. */
const mostLines = 60;

const functions = {
  avg: 'Average',
  min: 'Smallest',
  max: 'Largest',
  sum: 'Sum',
  count: 'Count',
  first: 'First',
  last: 'Last',
  lttb: 'Measured points',
} as const;

/** The chart of variables, with one line per device and variable. */
export function ChartPart({
  application,
  lines,
  from,
  to,
}: {
  application: Explored;
  lines: readonly ExploredLineFragment[] | undefined;
  from: number;
  to: number;
}) {
  const address = useAddress();
  const variables = address.all('variable');
  const devices = address.all('device');
  const combine = address.get('combine');
  const combined = useMemo(() => combinedOf(application, variables), [application, variables.join('\n')]);
  const { items, totalCount } = application.devices;
  const [first] = variablesOf(application);
  // The screen opens with a line. If the user removes it, the chart stays empty.
  useEffect(() => {
    if (variables.length === 0 && first !== undefined)
      address.set({ variable: first, ...((totalCount ?? 0) > mostApart && { combine: 'spread' }) });
  }, [application.id]);
  return (
    <>
      <div class="filters">
        <Choices
          label="Variables"
          none="none"
          options={variablesOf(application).map((name) => ({ value: name, title: name }))}
          chosen={variables}
          choose={(variable) => address.set({ variable })}
        />
        <Choices
          label="Devices"
          none={`all ${totalCount?.toLocaleString() ?? ''}`}
          options={items.map(({ id, name, serial }) => ({ value: id, title: name ?? serial }))}
          chosen={devices}
          choose={(device) => address.set({ device })}
        />
        <select
          aria-label="Function"
          value={address.get('function') || 'avg'}
          onChange={({ currentTarget: { value } }) => address.set({ function: value === 'avg' ? '' : value })}
        >
          {Object.entries(functions).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
        <select
          aria-label="Combine"
          value={combine}
          onChange={({ currentTarget: { value } }) => address.set({ combine: value })}
        >
          {Object.entries(combinations).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
        {(lines !== undefined || combined.length > 0) && (
          <AddPanel applicationIds={[application.id]} chart={chartOf(address)} />
        )}
        {lines !== undefined && (
          <button type="button" onClick={() => download('series.csv', csvOfLines(lines, items))}>
            Download CSV
          </button>
        )}
        {combined.length > 0 && (
          <button type="button" onClick={() => download('series.csv', csvOfCombined(combined))}>
            Download CSV
          </button>
        )}
      </div>
      {combined.length > 0 ? (
        <>
          {variables.length > mostCombined && (
            <p class="quiet">
              {mostCombined} of {variables.length} variables are drawn.
            </p>
          )}
          <CombinedPart of={combined} isCounted={combine === 'count'} from={from} to={to} />
        </>
      ) : lines === undefined ? (
        <Empty title="Choose variables to draw">
          <p>Each device of the application has a line; choose devices to compare only some.</p>
        </Empty>
      ) : (
        <Drawn lines={lines} application={application} variables={variables} from={from} to={to} />
      )}
    </>
  );
}

/** Functions of this screen that panels also support. Panels draw averages instead of the others. */
const aggregates = ['avg', 'min', 'max', 'sum', 'count', 'last'] as const;

/** Returns the chart as a panel of a dashboard. */
const chartOf = (address: Address): Chart => {
  const [variables, devices] = [address.all('variable'), address.all('device')];
  const aggregate = aggregates.find((one) => one === address.get('function'));
  const combine = (Object.keys(combinations) as (keyof typeof combinations)[]).find(
    (one) => one === address.get('combine'),
  );
  return {
    title: variables.join(', ').slice(0, 200),
    draw: 'line',
    ...(aggregate !== undefined && { aggregate }),
    ...(combine && { combine }),
    sources: variables.slice(0, 12).map((variable) => ({
      ...(devices.length > 0 && { devices: devices.slice(0, 20) }),
      variable: `data.${variable}`,
    })),
  };
};

/** Returns the lines of combined devices, each with its variable. */
const combinedOf = (application: Explored, variables: readonly string[]): Combined[] => {
  const looks = looksOf(application);
  return [application.first, application.second, application.third].flatMap((lines, index) => {
    const [line] = lines ?? [];
    const variable = variables[index]!;
    return line === undefined ? [] : [{ variable, line, look: looks.get(variable) }];
  });
};

type Device = Explored['devices']['items'][number];

function Drawn({
  lines,
  application,
  variables,
  from,
  to,
}: {
  lines: readonly ExploredLineFragment[];
  application: Explored;
  variables: readonly string[];
  from: number;
  to: number;
}) {
  const figure = useAddress().get('function');
  const filled = useMemo(() => lines.filter(({ ts }) => ts.length > 0), [lines]);
  const drawn = useMemo(
    () => namedLines(filled.slice(0, mostLines), application, variables, figure),
    [filled, application, figure],
  );
  if (filled.length === 0)
    return (
      <Empty title="No value in this range">
        <p>Choose another range, or other variables.</p>
      </Empty>
    );
  const empty = lines.length - filled.length;
  return (
    <>
      <p class="quiet">
        {counted(filled.length, 'line')}
        {empty > 0 && `, ${empty.toLocaleString()} without a value in this range`}
        {filled.length > mostLines && `; the first ${mostLines} are drawn, the file has all`}
        {intervalOf(filled)}
      </p>
      <Charts label="Explored values" lines={drawn} from={from} to={to} size="fill" zooms />
    </>
  );
}

const intervalOf = ([line]: readonly ExploredLineFragment[]) =>
  line?.interval == null ? '' : ` · buckets of ${duration(line.interval)}`;

/** Names lines after the device, and after the variable too when several are drawn. */
const namedLines = (
  lines: readonly ExploredLineFragment[],
  application: Explored,
  variables: readonly string[],
  figure: string,
): Line[] => {
  const devices = application.devices.items;
  const looks = looksOf(application);
  const used = new Map<string, number>();
  const isCounted = ['count', 'sum'].includes(figure);
  return lines.map(({ deviceId, name, unit, type, interval, ts, values }) => {
    const title = variables.length > 1 ? `${titleOf(devices, deviceId)} ${name}` : titleOf(devices, deviceId);
    const times = (used.get(title) ?? 0) + 1;
    used.set(title, times);
    const look = lookAfter(figure, looks.get(name));
    const own = { name: times === 1 ? title : `${title} (${times})`, interval, ts, values, ...look };
    // A count has no unit, and a number of true values is not a boolean.
    return { ...own, unit: figure === 'count' ? 'values' : unit, type: isCounted ? null : type };
  });
};

const titleOf = (devices: readonly Device[], id: string): string => {
  const device = devices.find((one) => one.id === id);
  return device === undefined ? id : (device.name ?? device.serial);
};

/** Returns how variables of the application's products are shown, by name. The first product that has one decides. */
const looksOf = ({ products }: Explored): Map<string, Look> =>
  new Map(products.items.flatMap(({ variables }) => variables.map((each) => [each.name, each] as const)).toReversed());

/** Returns the numeric and boolean variables of the application's products. */
export const variablesOf = ({ products }: Explored): string[] => {
  const numeric = products.items.flatMap(({ variables }) => variables.filter(({ type }) => type !== 'TXT'));
  return [...new Set(numeric.map(({ name }) => name))].sort();
};

const csvOfLines = (lines: readonly ExploredLineFragment[], devices: readonly Device[]): string =>
  csvOf(
    ['time', 'unix', 'device', 'serial', 'variable', 'unit', 'value'],
    lines.flatMap(({ deviceId, name, unit, ts, values }) => {
      const device = devices.find(({ id }) => id === deviceId);
      return ts.map((at, index) => [
        new Date(at * 1000).toISOString(),
        at,
        device?.name ?? null,
        device?.serial ?? deviceId,
        name,
        unit,
        values[index],
      ]);
    }),
  );
