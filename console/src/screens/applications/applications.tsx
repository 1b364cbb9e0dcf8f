import { useLocation } from 'preact-iso';
import { ApplicationsDocument, type ApplicationsQuery, CreateApplicationDocument } from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { mayOwn, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { textOf } from '../../browser/form.js';
import { Action } from '../../components/action.js';
import { Field } from '../../components/dialog.js';
import { useListView } from '../../components/list-view.js';
import { NameFilter } from '../../components/name-filter.js';
import { Page } from '../../components/page.js';
import { Empty, Loading } from '../../components/state.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { accessOf } from '../../format/value.js';

type Application = NonNullable<ApplicationsQuery['applications']>['items'][number];

const limit = 25;

const columns: readonly Column<Application>[] = [
  { title: 'Application', sort: 'name', cell: ({ id, name }) => <a href={`/console/applications/${id}`}>{name}</a> },
  { title: 'Description', cell: ({ description }) => description },
  { title: 'Devices', number: true, cell: ({ devices }) => devices.totalCount?.toLocaleString() },
  { title: 'Teams', cell: ({ teams }) => teams.items.map(({ name }) => name).join(', ') },
  { title: 'Your access', cell: ({ permission }) => accessOf(permission) },
];

/** The fields of an application's form. */
export const ApplicationFields = ({ name = '', description = '' }: { name?: string; description?: string | null }) => (
  <>
    <Field label="Name">
      <input name="name" required maxLength={200} defaultValue={name} />
    </Field>
    <Field label="Description">
      <textarea name="description" rows={3} defaultValue={description ?? ''} />
    </Field>
  </>
);

/** The list of applications that the caller may read. */
export function ApplicationsScreen() {
  const address = useAddress();
  const { route } = useLocation();
  const view = useListView('applications', columns);
  const applications = useQuery(ApplicationsDocument, {
    organizationId: organizationId.value,
    limit,
    page: Number(address.get('page')) || 1,
    sort: address.get('sort') || 'name',
    q: address.get('q') || null,
  });
  const make = async (form: FormData) => {
    const { createApplication } = await ask(CreateApplicationDocument, {
      organizationId: organizationId.value,
      name: textOf(form, 'name'),
      description: textOf(form, 'description') || null,
    });
    route(`/console/applications/${createApplication.id}`);
  };
  return (
    <Page
      title="Applications"
      actions={
        mayOwn.value && (
          <Action label="Create an application" action="Create" primary submit={make}>
            <ApplicationFields />
          </Action>
        )
      }
    >
      <div class="filters">
        <NameFilter address={address} />
        {view.menus}
      </div>
      <Loading of={applications} rows={limit}>
        {({ applications: { items, totalCount } }) => (
          <>
            {items.length === 0 ? (
              <Empty title={address.get('q') ? 'No application matches' : 'No application'}>
                <p>
                  An application is a group of devices whose records are searched together and sent to its hooks. Owners
                  make them; teams are given them.
                </p>
              </Empty>
            ) : (
              <Table
                label="Applications"
                columns={view.columns}
                rows={items}
                address={address}
                busy={applications.loading}
              />
            )}
            <Pager address={address} limit={limit} total={totalCount} />
          </>
        )}
      </Loading>
    </Page>
  );
}
