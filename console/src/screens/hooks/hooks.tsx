import { useLocation } from 'preact-iso';
import { CreateHookDocument, HooksDocument, type HooksQuery } from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { mayWrite, organizationId } from '../../api/session.js';
import { usePanels } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { textOf } from '../../browser/form.js';
import { Action } from '../../components/action.js';
import { Ago } from '../../components/ago.js';
import { Field } from '../../components/dialog.js';
import { ExportButton } from '../../components/export-button.js';
import { useListView } from '../../components/list-view.js';
import { Page } from '../../components/page.js';
import { SelectFilter } from '../../components/select-filter.js';
import { Empty, Loading, Part } from '../../components/state.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { secondsOf } from '../../format/time.js';
import { HookFields, hookOf } from './hook-fields.js';
import { HookState, millis, percent } from './hook-state.js';

type Application = NonNullable<HooksQuery['applications']>['items'][number];
type Hook = NonNullable<Application['hooks']>['items'][number] & { application: Application };

const columns: readonly Column<Hook>[] = [
  {
    title: 'Hook',
    cell: ({ id, url, application }) => <a href={`/console/hooks/${application.id}/${id}`}>{url}</a>,
  },
  { title: 'Application', cell: ({ application }) => application.name },
  { title: 'State', cell: (hook) => <HookState hook={hook} /> },
  { title: 'Success', number: true, cell: ({ stats }) => percent(stats.successRate) },
  { title: 'p50', number: true, cell: ({ stats }) => millis(stats.p50) },
  { title: 'p95', number: true, cell: ({ stats }) => millis(stats.p95) },
  { title: 'Waiting', number: true, cell: ({ stats }) => (stats.pending + stats.running).toLocaleString() },
  {
    title: 'Last failure',
    cell: ({ stats: { lastFailureAt } }) => (lastFailureAt === null ? '' : <Ago at={secondsOf(lastFailureAt)} />),
  },
];

/** Hooks per page of one application, and applications per page when none is chosen. */
const [hooksLimit, applicationsLimit] = [25, 40];

const states = [
  { id: 'delivers', name: 'Delivering hooks' },
  { id: 'fails', name: 'Failing hooks' },
  { id: 'stands', name: 'Hooks switched off' },
];

/** Arguments of the query for each state. */
const filters: Readonly<Record<string, { disabled?: boolean; failing?: boolean }>> = {
  delivers: { disabled: false, failing: false },
  fails: { disabled: false, failing: true },
  stands: { disabled: true },
};

/**
 * The hooks of all applications that the caller may change. The service does not return hooks of other applications.
 */
export function HooksScreen() {
  const address = useAddress();
  const { route } = useLocation();
  const chosen = address.get('application');
  const page = Number(address.get('page')) || 1;
  const hooks = usePanels(
    HooksDocument,
    {
      organizationId: organizationId.value,
      applicationIds: chosen === '' ? null : [chosen],
      page: chosen === '' ? page : 1,
      hookPage: chosen === '' ? 1 : page,
      ...filters[address.get('state')],
    },
    { every: 15_000 },
  );
  const make = async (form: FormData) => {
    const applicationId = textOf(form, 'application');
    const names = { organizationId: organizationId.value, applicationId };
    const { createApplicationHook } = await ask(CreateHookDocument, { ...names, ...hookOf(form) });
    route(`/console/hooks/${applicationId}/${createApplicationHook.id}`);
  };
  const names = hooks.data?.names?.items ?? [];
  const writable = names.filter(({ permission }) => permission === 'write');
  return (
    <Page
      title="Hooks"
      actions={
        writable.length > 0 && (
          <>
            <ExportButton label="Download deliveries as CSV" parameters={{ of: 'deliveries' }} />
            {mayWrite.value && (
              <Action label="Create a hook" action="Create" primary submit={make}>
                <Field label="Application" hint="Records of its devices are sent.">
                  <select name="application">
                    {writable.map(({ id, name }) => (
                      <option key={id} value={id} selected={id === address.get('application')}>
                        {name}
                      </option>
                    ))}
                  </select>
                </Field>
                <HookFields />
              </Action>
            )}
          </>
        )
      }
    >
      <Loading of={hooks} rows={12}>
        {() => (
          <Part of={hooks} name="applications">
            {(applications) => <Listed applications={applications} names={names} busy={hooks.loading} />}
          </Part>
        )}
      </Loading>
    </Page>
  );
}

function Listed({
  applications,
  names,
  busy,
}: {
  applications: NonNullable<HooksQuery['applications']>;
  names: NonNullable<HooksQuery['names']>['items'];
  busy: boolean;
}) {
  const address = useAddress();
  const view = useListView('hooks', columns);
  const chosen = address.get('application');
  const { items, totalCount } = applications;
  const shown = items.flatMap((application) =>
    (application.hooks?.items ?? []).map((hook): Hook => ({ ...hook, application })),
  );
  if (shown.length === 0 && chosen === '' && address.get('state') === '' && address.get('page') === '')
    return (
      <Empty title="No hook yet">
        <p>
          A hook is an address that is called with every record of an <a href="/console/applications">application</a>.
          You see those of applications that you may change.
        </p>
      </Empty>
    );
  const cut = items.filter(({ hooks }) => (hooks?.totalCount ?? 0) > hooksLimit);
  return (
    <>
      <div class="filters">
        <SelectFilter address={address} name="application" label="Application" every="Every application" of={names} />
        <SelectFilter address={address} name="state" label="State" every="Every state" of={states} />
        {view.menus}
      </div>
      {shown.length === 0 ? (
        <Empty title="No hook matches">
          <p>Change the filters.</p>
        </Empty>
      ) : (
        <Table label="Hooks" columns={view.columns} rows={shown} address={address} busy={busy} />
      )}
      {chosen === '' &&
        cut.map(({ id, name, hooks }) => (
          <p key={id} class="quiet">
            {name}: the first {hooksLimit} of <a href={address.link({ application: id })}>{hooks?.totalCount} hooks</a>
          </p>
        ))}
      {chosen !== '' ? (
        <Pager address={address} limit={hooksLimit} total={items[0]?.hooks?.totalCount ?? 0} />
      ) : (
        (totalCount ?? 0) > applicationsLimit && (
          <>
            <p class="quiet">Hooks of {applicationsLimit} applications a page:</p>
            <Pager address={address} limit={applicationsLimit} total={totalCount} />
          </>
        )
      )}
    </>
  );
}
