import { useLocation } from 'preact-iso';
import { useAddress } from '../../address.js';
import { Action } from '../../components/action.js';
import { Field } from '../../components/dialog.js';
import { Page } from '../../components/page.js';
import { Empty, Loading } from '../../components/state.js';
import { type Column, Table } from '../../components/table.js';
import { CreateHookDocument, HooksDocument, type HooksQuery } from '../../documents.js';
import { textOf } from '../../form.js';
import { ask } from '../../graph.js';
import { mayWrite, organizationId } from '../../session.js';
import { ago, secondsOf } from '../../time.js';
import { usePanels } from '../../use-query.js';
import { HookFields, hookOf } from './hook-fields.js';
import { fares, HookState, millis, percent } from './hook-state.js';

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
    cell: ({ stats: { lastFailureAt } }) => (lastFailureAt === null ? '' : ago(secondsOf(lastFailureAt))),
  },
];

const states = { delivers: 'Those that deliver', fails: 'Those that fail', stands: 'Those switched off' } as const;

/** The hooks of all applications that the caller may change. Those of others are not told. */
export function HooksScreen() {
  const address = useAddress();
  const { route } = useLocation();
  const hooks = usePanels(HooksDocument, { organizationId: organizationId.value }, { every: 15_000 });
  const make = async (form: FormData) => {
    const applicationId = textOf(form, 'application');
    const names = { organizationId: organizationId.value, applicationId };
    const { createApplicationHook } = await ask(CreateHookDocument, { ...names, ...hookOf(form) });
    route(`/console/hooks/${applicationId}/${createApplicationHook.id}`);
  };
  const applications = hooks.data?.applications?.items ?? [];
  const writable = applications.filter(({ permission }) => permission === 'write');
  return (
    <Page
      title="Hooks"
      actions={
        mayWrite.value &&
        writable.length > 0 && (
          <Action label="Make a hook" action="Make" primary submit={make}>
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
        )
      }
    >
      <Loading of={hooks} rows={12}>
        {() => <Listed applications={applications} busy={hooks.loading} />}
      </Loading>
    </Page>
  );
}

function Listed({ applications, busy }: { applications: readonly Application[]; busy: boolean }) {
  const address = useAddress();
  const all = applications.flatMap((application) =>
    (application.hooks?.items ?? []).map((hook): Hook => ({ ...hook, application })),
  );
  const shown = all.filter(
    (hook) =>
      (address.get('application') === '' || hook.application.id === address.get('application')) &&
      (address.get('state') === '' || fares(hook) === address.get('state')),
  );
  if (all.length === 0)
    return (
      <Empty title="No hook yet">
        <p>
          A hook is an address that is called with every record of an <a href="/console/applications">application</a>.
          You see those of applications that you may change.
        </p>
      </Empty>
    );
  return (
    <>
      <div class="filters">
        <select
          aria-label="Application"
          value={address.get('application')}
          onChange={({ currentTarget }) => address.set({ application: currentTarget.value })}
        >
          <option value="">Every application</option>
          {applications.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <select
          aria-label="State"
          value={address.get('state')}
          onChange={({ currentTarget }) => address.set({ state: currentTarget.value })}
        >
          <option value="">Every state</option>
          {Object.entries(states).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {shown.length === 0 ? (
        <Empty title="No hook matches">
          <p>Change the filters.</p>
        </Empty>
      ) : (
        <Table label="Hooks" columns={columns} rows={shown} address={address} busy={busy} />
      )}
    </>
  );
}
