import {
  AlertRulesDocument,
  type AlertRulesQuery,
  DeleteAlertRuleDocument,
  type RuleLineFragment,
  SwitchAlertRuleDocument,
} from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { mayWrite, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { Action } from '../../components/action.js';
import { Page } from '../../components/page.js';
import { SelectFilter } from '../../components/select-filter.js';
import { Empty, Loading } from '../../components/state.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { formatTime, secondsOf } from '../../format/time.js';
import { kinds, RuleState, Severity, watches } from './alert-labels.js';
import { Tabs } from './tabs.js';
import { episodesChanged } from './use-open-episodes.js';

type Application = NonNullable<AlertRulesQuery['chosen']>['items'][number];

const limit = 25;

/** Lists the rules of an application, the most severe first. */
export function RulesScreen() {
  const address = useAddress();
  const chosen = address.get('application');
  const rules = useQuery(AlertRulesDocument, {
    organizationId: organizationId.value,
    applicationIds: chosen === '' ? null : [chosen],
    limit,
    page: Number(address.get('page')) || 1,
    sort: address.get('sort') || '-severity,name',
  });
  return (
    <Page title="Alert rules" actions={<Tabs />}>
      <Loading of={rules} rows={12}>
        {({ applications, chosen: { items } }) => {
          const [application] = items;
          if (application === undefined)
            return (
              <Empty title={chosen === '' ? 'No application' : 'The application was deleted, or you may not see it'}>
                <p>
                  Rules belong to an <a href="/console/applications">application</a>, whose devices they watch.
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
                />
                {mayChange(application) && application.alertRules.items.length > 0 && <MakeRule of={application} />}
              </div>
              <Listed application={application} busy={rules.loading} reload={rules.reload} />
            </>
          );
        }}
      </Loading>
    </Page>
  );
}

/** Whether the caller may create and change rules of an application. */
export const mayChange = ({ permission }: { permission: string }): boolean => mayWrite.value && permission === 'write';

const MakeRule = ({ of: { id } }: { of: { id: string } }) => (
  <a class="button primary" href={`/console/alerts/rules/${id}/new`}>
    Create a rule
  </a>
);

const columns: readonly Column<RuleLineFragment>[] = [
  {
    title: 'Rule',
    sort: 'name',
    cell: ({ id, applicationId, name }) => <a href={`/console/alerts/rules/${applicationId}/${id}`}>{name}</a>,
  },
  { title: 'Severity', sort: 'severity', cell: ({ severity }) => <Severity of={severity} /> },
  { title: 'Kind', sort: 'kind', cell: ({ kind }) => kinds[kind] },
  { title: 'Opens when', cell: (rule) => watches(rule) },
  {
    title: 'State',
    cell: (rule) => (
      <>
        <RuleState of={rule} />
        {rule.undecided !== null && (
          <span class="below quiet">
            behind for {rule.undecided.deviceCount} {rule.undecided.deviceCount === 1 ? 'device' : 'devices'} since{' '}
            {formatTime(secondsOf(rule.undecided.since))}
          </span>
        )}
        {rule.disabledAt !== null && <span class="below quiet">{formatTime(secondsOf(rule.disabledAt))}</span>}
      </>
    ),
  },
  {
    title: 'Alerts',
    cell: ({ id }) => <a href={`/console/alerts?rule=${id}`}>History</a>,
  },
];

function Listed({ application, busy, reload }: { application: Application; busy: boolean; reload: () => void }) {
  const address = useAddress();
  const { items, totalCount } = application.alertRules;
  if (totalCount === 0)
    return (
      <Empty title="No rules yet">
        {mayChange(application) ? (
          <>
            <p>
              A rule opens an alert when a device of {application.name} sends a wrong value, falls silent, or does not
              report what is desired.
            </p>
            <p>
              <MakeRule of={application} />
            </p>
          </>
        ) : (
          <p>Who may change {application.name} can make one.</p>
        )}
      </Empty>
    );
  const all = mayChange(application)
    ? [...columns, { title: 'Change', cell: (rule: RuleLineFragment) => <Change rule={rule} reload={reload} /> }]
    : columns;
  return (
    <>
      <Table label="Alert rules" columns={all} rows={items} address={address} busy={busy} />
      <Pager address={address} limit={limit} total={totalCount} />
    </>
  );
}

/** Switches a rule on or off, after a dialog that describes the effect on its episodes. */
export const Change = ({ rule, reload }: { rule: RuleLineFragment; reload: () => void }) => {
  const { id: alertRuleId, applicationId, name, disabled } = rule;
  const turn = async () => {
    const names = { organizationId: organizationId.value, applicationId, alertRuleId };
    await ask(SwitchAlertRuleDocument, { ...names, name, disabled: !disabled });
    episodesChanged();
    reload();
  };
  return disabled ? (
    <Action label="Switch on" title={`Switch ${name} on`} action="Switch on" submit={turn}>
      <p>The rule watches its devices from now on. Its clocks begin again.</p>
    </Action>
  ) : (
    <Action label="Switch off" title={`Switch ${name} off`} action="Switch off" submit={turn}>
      <p>Its open episodes close. It watches no device until it is switched on.</p>
    </Action>
  );
};

/** Deletes a rule. */
export const DeleteRule = ({ rule, done }: { rule: RuleLineFragment; done: () => void }) => (
  <Action
    label="Delete"
    title={`Delete ${rule.name}`}
    danger
    submit={async () => {
      const { id: alertRuleId, applicationId } = rule;
      await ask(DeleteAlertRuleDocument, { organizationId: organizationId.value, applicationId, alertRuleId });
      episodesChanged();
      done();
    }}
  >
    <p>Its open episodes close. All its episodes stay in the history.</p>
  </Action>
);
