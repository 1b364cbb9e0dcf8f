import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { DashboardsDocument, type DashboardsQuery } from '../../api/documents.js';
import { mayOwn, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { Ago } from '../../components/ago.js';
import { NameFilter } from '../../components/name-filter.js';
import { Page } from '../../components/page.js';
import { Empty, Failure, Loading } from '../../components/state.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { secondsOf } from '../../format/time.js';
import { accessOf } from '../../format/value.js';
import { turnOn } from './turn-on.js';

type Application = NonNullable<DashboardsQuery['applications']>['items'][number];

const limit = 50;

const columns: readonly Column<Application>[] = [
  {
    title: 'Dashboard',
    cell: ({ id, name, hasDashboard }) =>
      hasDashboard || mayOwn.value ? <a href={`/console/dashboards/${id}`}>{name}</a> : name,
  },
  { title: 'Description', cell: ({ description }) => description },
  { title: 'Devices', number: true, cell: ({ devices }) => devices.totalCount?.toLocaleString() },
  {
    title: 'Saved',
    cell: ({ dashboard }) =>
      dashboard?.updatedAt == null ? (
        <span class="quiet">not yet</span>
      ) : (
        <>
          <Ago at={secondsOf(dashboard.updatedAt)} />
          {dashboard.updatedBy && (
            <span class="quiet"> by {dashboard.updatedBy.name ?? dashboard.updatedBy.username}</span>
          )}
        </>
      ),
  },
  { title: 'Your access', cell: ({ permission }) => accessOf(permission) },
];

/** The dashboards of the applications that the caller may read, and the applications without one. */
export function DashboardsScreen() {
  const address = useAddress();
  const found = useQuery(DashboardsDocument, {
    organizationId: organizationId.value,
    limit,
    page: Number(address.get('page')) || 1,
    q: address.get('q') || null,
  });
  return (
    <Page title="Dashboards">
      <div class="filters">
        <NameFilter address={address} />
      </div>
      <Loading of={found} rows={10}>
        {({ applications: { items, totalCount } }) => {
          const [with_, without] = [items.filter((one) => one.hasDashboard), items.filter((one) => !one.hasDashboard)];
          return (
            <>
              {with_.length > 0 ? (
                <Table label="Dashboards" columns={columns} rows={with_} address={address} busy={found.loading} />
              ) : (
                <Empty title={address.get('q') ? 'No dashboard matches' : 'No dashboard yet'}>
                  <p>
                    {items.length === 0 ? (
                      <>
                        A dashboard belongs to an application: make one under{' '}
                        <a href="/console/applications">Applications</a>, and link devices to it.
                      </>
                    ) : mayOwn.value ? (
                      'Create the dashboard of an application below.'
                    ) : (
                      'Owners of the organization create dashboards.'
                    )}
                  </p>
                </Empty>
              )}
              {without.length > 0 && mayOwn.value && <Without of={without} />}
              <Pager address={address} limit={limit} total={totalCount} />
            </>
          );
        }}
      </Loading>
    </Page>
  );
}

/** Applications that have no dashboard yet, each with a button that creates it. */
const Without = ({ of }: { of: readonly Application[] }) => {
  const { route } = useLocation();
  const [error, setError] = useState<Error | undefined>();
  const create = (id: string) =>
    turnOn(id).then(
      () => route(`/console/dashboards/${id}`),
      (cause: Error) => setError(cause),
    );
  return (
    <section aria-label="Applications without a dashboard">
      <header class="section-head">
        <h2>Applications without a dashboard</h2>
      </header>
      {error && <Failure error={error} />}
      <ul class="lines spread">
        {of.map(({ id, name }) => (
          <li key={id}>
            <span class="cut" title={name}>
              {name}
            </span>
            <button type="button" aria-label={`Create a dashboard for ${name}`} onClick={() => void create(id)}>
              Create
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
};
