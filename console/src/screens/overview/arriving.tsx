import { useMemo } from 'preact/hooks';
import { LazyChart } from '../../components/lazy-chart.js';
import type { Line } from '../../components/plot-data.js';
import { Empty, Loading } from '../../components/state.js';
import { FirstChartDocument, type OverviewQuery } from '../../documents.js';
import { organizationId } from '../../session.js';
import { useQuery } from '../../use-query.js';

type Device = NonNullable<OverviewQuery['devices']>['items'][number];

/** A search that counts the records of a range in time buckets. */
export interface Histogram {
  readonly query: Record<string, unknown>;
  /** Length of a bucket in seconds. */
  readonly step: number;
}

/** Bucket lengths in seconds. The shortest with at most 120 buckets is used. */
const steps = [60, 300, 900, 3600, 6 * 3600, 24 * 3600];

/** Returns the search that counts the records between two instants. */
export const histogramOf = (from: number, to: number): Histogram => {
  const step = steps.find((length) => (to - from) / length <= 120) ?? steps.at(-1)!;
  const counted = { date_histogram: { field: 'ts', fixed_interval: `${step}s` } };
  return { step, query: { products: [], size: 0, track_total_hits: true, aggs: { counted } } };
};

/**
 * Draws the records per minute of each application. Without applications it draws the values of the device with the
 * newest record.
 */
export function Arriving({
  data,
  from,
  to,
  histogram,
}: {
  data: OverviewQuery;
  from: number;
  to: number;
  histogram: Histogram;
}) {
  const applications = data.charted?.items ?? [];
  const lines = useMemo(
    () => applications.map(({ name, search }) => lineOf(name, search.responses[0], from, to, histogram.step)),
    [data.charted, from, to, histogram.step],
  );
  const total = applications.reduce((sum, { search }) => sum + totalOf(search.responses[0]), 0);
  if (total === 0) return <LastHeard devices={data.devices?.items ?? []} to={to} isAlone={applications.length === 0} />;
  const others = (data.charted?.totalCount ?? 0) - applications.length;
  return (
    <>
      <p class="quiet">
        {total.toLocaleString()} {total === 1 ? 'record was' : 'records were'} measured in this range; the chart shows
        them a minute, by application
        {others > 0 && ` (the first ${applications.length}, ${others} more are not drawn)`}
      </p>
      <LazyChart label="Records a minute by application" lines={lines} from={from} to={to} />
    </>
  );
}

interface Counted {
  readonly hits?: { readonly total?: { readonly value: number } };
  readonly aggregations?: { readonly counted: { readonly buckets: readonly { key: number; doc_count: number }[] } };
}

const totalOf = (answer: Counted | undefined): number => answer?.hits?.total?.value ?? 0;

/** Returns the records per minute in every bucket. A bucket without records is 0, not a gap. */
const lineOf = (name: string, answer: Counted | undefined, from: number, to: number, step: number): Line => {
  const counts = new Map(answer?.aggregations?.counted.buckets.map(({ key, doc_count }) => [key / 1000, doc_count]));
  const ts: number[] = [];
  for (let at = Math.floor(from / step) * step; at <= to; at += step) ts.push(at);
  return { name, unit: 'a minute', ts, values: ts.map((at) => ((counts.get(at) ?? 0) * 60) / step) };
};

/** The live chart of the device with the newest record, over its last ten minutes or around its newest values. */
const LastHeard = ({ devices, to, isAlone }: { devices: readonly Device[]; to: number; isAlone: boolean }) => {
  const [last] = devices
    .map((device) => ({ device, at: Math.max(0, ...device.latest.map(({ ts }) => ts)) }))
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
