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
import { QueryPart } from './query-part.js';

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
  const explored = useQuery(ExploreDocument, {
    organizationId: organizationId.value,
    applicationIds: applicationId === '' ? null : [applicationId],
    variables,
    deviceIds,
    function: (address.get('function') || 'avg') as SeriesFunction,
    from,
    to,
    charts: charts && deviceIds.length === 0,
    chartsDevices: charts && deviceIds.length > 0,
    searches: query !== undefined,
    ts: { gte: from, lte: to },
    queries: query === undefined ? [] : [{ products: [], ...query }],
  });
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
                  also={{ device: '', variable: '' }}
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
