import { useMemo } from 'preact/hooks';
import { FirstChartDocument, type OverviewQuery } from '../../api/documents.js';
import { organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { LazyChart } from '../../components/lazy-chart.js';
import type { Line } from '../../components/plot-data.js';
import { Empty, Loading } from '../../components/state.js';
import { duration } from '../../format/time.js';

type Device = NonNullable<OverviewQuery['devices']>['items'][number];

/**
 * Draws the stored records of each application by arrival time. Without applications, it draws the values of the device
 * with the newest record.
 */
export function Arriving({ data, from, to }: { data: OverviewQuery; from: number; to: number }) {
  const applications = data.charted?.items ?? [];
  const lines = useMemo(
    () => applications.map(lineOf).filter(({ values }) => values.some((count) => count !== 0)),
    [data],
  );
  if (lines.length === 0)
    return <LastHeard devices={data.devices?.items ?? []} to={to} isAlone={applications.length === 0} />;
  const others = (data.charted?.totalCount ?? 0) - applications.length;
  return (
    <>
      <p class="quiet">
        Records by the time of their arrival, {duration(lines[0]?.interval ?? 60)} each, by application.
        {others > 0 && ` The first ${applications.length} are drawn, ${others} more are not.`}
      </p>
      <LazyChart label="Records arriving by application" lines={lines} shape="bars" from={from} to={to} zooms />
    </>
  );
}

type Application = NonNullable<OverviewQuery['charted']>['items'][number];

const lineOf = ({ name, activity }: Application): Line => {
  const ts = activity.map((bucket) => bucket.ts);
  return {
    name,
    unit: 'records',
    interval: ts.length > 1 ? ts[1]! - ts[0]! : 60,
    ts,
    values: activity.map(({ stored }) => stored),
  };
};

/** The live chart of the device with the newest record, over its last ten minutes or around its newest values. */
const LastHeard = ({ devices, to, isAlone }: { devices: readonly Device[]; to: number; isAlone: boolean }) => {
  const [last] = devices
    .map((device) => ({ device, at: Math.max(0, ...device.latest.map(({ ts, ahead }) => ts - (ahead ?? 0))) }))
    .sort((a, b) => b.at - a.at);
  if (last === undefined || last.at === 0) return <Empty title="No record in this range" />;
  const { device, at } = last;
  const end = Math.max(at, to);
  const variables = device.latest.filter(({ value }) => typeof value === 'number').map(({ name }) => name);
  return (
    <>
      <p>
        Newest: <a href={`/console/devices/${device.id}`}>{device.name ?? device.serial}</a>.{' '}
        <span class="quiet">
          {isAlone
            ? 'Records are counted by application: make one and link devices to it.'
            : 'No application has a record in this range.'}{' '}
          <a href="/console/applications">Applications</a>
        </span>
      </p>
      {variables.length > 0 && (
        <DeviceLines
          key={device.id}
          device={device}
          variables={variables.slice(0, 6)}
          from={Math.min(at, end - 600) - 30}
          to={end}
        />
      )}
    </>
  );
};

const DeviceLines = ({
  device,
  variables,
  from,
  to,
}: {
  device: Device;
  variables: string[];
  from: number;
  to: number;
}) => {
  const chart = useQuery(
    FirstChartDocument,
    { organizationId: organizationId.value, deviceIds: [device.id], variables, from: Math.floor(from) },
    { every: 2000 },
  );
  return (
    <Loading of={chart} rows={8}>
      {({ series }) => (
        <LazyChart label={`Values of ${device.name ?? device.serial}`} lines={series} from={from} to={to} />
      )}
    </Loading>
  );
};
