import { useEffect } from 'preact/hooks';
import { ExploreDocument, type SeriesFunction } from '../../api/documents.js';
import { organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { useRange } from '../../browser/use-range.js';
import { Page } from '../../components/page.js';
import { RangePicker } from '../../components/range-picker.js';
import { SelectFilter } from '../../components/select-filter.js';
import { Empty, Loading } from '../../components/state.js';
import { parseObject } from '../../format/value.js';
import { ChartPart } from './chart-part.js';
import type { combinations } from './combined.js';
import { QueryPart } from './query-part.js';

/** Functions that reduce a device's values before devices are combined. The others become averages. */
const perDevice = ['avg', 'min', 'max', 'sum', 'count', 'last'] as const;

/** Charts and searches over many devices. The whole state is in the address, so that it can be shared. */
export function ExploreScreen() {
  const address = useAddress();
  const { from, to } = useRange(address, 'day');
  const applicationId = address.get('application');
  const isQuery = address.get('by') === 'query';
  const variables = address.all('variable');
  const deviceIds = address.all('device');
  const query = isQuery ? parseObject(address.get('query')) : undefined;
  const charts = !isQuery && variables.length > 0;
  const combine = address.get('combine') as keyof typeof combinations;
  const figure = address.get('function') || 'avg';
  const isApart = charts && combine === '';
  const [first = '', second = '', third = ''] = variables;
  const explored = useQuery(ExploreDocument, {
    organizationId: organizationId.value,
    applicationIds: applicationId === '' ? null : [applicationId],
    variables,
    deviceIds,
    function: figure as SeriesFunction,
    from,
    to,
    charts: isApart && deviceIds.length === 0,
    chartsDevices: isApart && deviceIds.length > 0,
    combine: combine || null,
    perDevice: perDevice.find((one) => one === figure) ?? 'avg',
    filter: deviceIds.length > 0 ? { ids: deviceIds } : null,
    first,
    second,
    third,
    hasFirst: charts && !isApart,
    hasSecond: charts && !isApart && second !== '',
    hasThird: charts && !isApart && third !== '',
    searches: query !== undefined,
    ts: { gte: from, lte: to },
    queries: query === undefined ? [] : [{ products: [], ...query }],
  });
  // An address of an application that has grown beyond a line for each device.
  const isTooMuch = explored.error?.code === 'VALIDATION_FAILED' && isApart && deviceIds.length === 0;
  useEffect(() => {
    if (isTooMuch) address.set({ combine: 'spread' });
  }, [isTooMuch]);
  return (
    <Page title="Explore" actions={<RangePicker address={address} follows />}>
      <Loading of={explored} rows={14}>
        {({ applications, chosen, series }) => {
          const [application] = chosen.items;
          if (application === undefined)
            return (
              <Empty title="No application">
                <p>
                  Records are searched by application: make one under <a href="/console/applications">Applications</a>,
                  and link devices to it.
                </p>
              </Empty>
            );
          return (
            <>
              <div class="filters">
                <SelectFilter
                  address={address}
                  name="application"
                  label="Application"
                  of={applications.items}
                  value={application.id}
                  also={{ device: '', variable: '', combine: '' }}
                />
                <div class="tabs" role="group" aria-label="Explore by">
                  <a href={address.link({ by: undefined })} aria-current={isQuery ? undefined : 'true'}>
                    Chart
                  </a>
                  <a href={address.link({ by: 'query' })} aria-current={isQuery ? 'true' : undefined}>
                    Query
                  </a>
                </div>
              </div>
              {isQuery ? (
                <QueryPart
                  key={application.id}
                  application={application}
                  query={query}
                  from={from}
                  to={to}
                  busy={explored.loading}
                />
              ) : (
                <ChartPart application={application} lines={series ?? application.series} from={from} to={to} />
              )}
            </>
          );
        }}
      </Loading>
    </Page>
  );
}
