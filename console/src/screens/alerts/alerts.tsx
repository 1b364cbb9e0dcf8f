import { useState } from 'preact/hooks';
import { type AlertSeverity, AlertsDocument, type AlertsQuery, type EpisodeState } from '../../api/documents.js';
import { type GraphError, refusalOf } from '../../api/graph.js';
import { account, mayWrite, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { type Address, useAddress } from '../../browser/address.js';
import { useListView } from '../../components/list-view.js';
import { Page } from '../../components/page.js';
import { Empty, Failure, Loading } from '../../components/state.js';
import { type Choice, Pager, Table } from '../../components/table.js';
import { formatTime, secondsOf } from '../../format/time.js';
import { AcknowledgeActions, acknowledge, type Matching } from './acknowledge.js';
import { columnsOf, type Line } from './episode-columns.js';
import { Filters } from './filters.js';
import { Tabs } from './tabs.js';
import { episodesChanged } from './use-open-episodes.js';

const limit = 25;

/** Time between two reloads of the list, in milliseconds. */
const every = 5000;

const acknowledgements: Readonly<Record<string, boolean>> = { yes: true, no: false };

/** Reads the filters of the episodes from the address of the page. */
const matchingOf = (address: Address): Matching => ({
  applicationId: address.get('application') || null,
  severity: (address.get('severity') as AlertSeverity) || null,
  state: (address.get('state') as EpisodeState) || null,
  alertRuleId: address.get('rule') || null,
  deviceId: address.get('device') || null,
});

/** Lists the episodes of all applications that the caller can read: open ones first, the most severe of them first. */
export function AlertsScreen() {
  const address = useAddress();
  const matching = matchingOf(address);
  const alerts = useQuery(
    AlertsDocument,
    {
      organizationId: organizationId.value,
      ...matching,
      acknowledged: acknowledgements[address.get('acknowledged')] ?? null,
      deviceIds: matching.deviceId === null ? null : [matching.deviceId],
      ofDevice: matching.deviceId !== null,
      limit,
      page: Number(address.get('page')) || 1,
    },
    { every },
  );
  return (
    <Page title="Alerts" actions={<Tabs />}>
      <Loading of={alerts} rows={limit}>
        {(data) => <Episodes data={data} matching={matching} busy={alerts.loading} reload={alerts.reload} />}
      </Loading>
    </Page>
  );
}

function Episodes({
  data,
  matching,
  busy,
  reload,
}: {
  data: AlertsQuery;
  matching: Matching;
  busy: boolean;
  reload: () => void;
}) {
  const address = useAddress();
  const [chosen, setChosen] = useState<ReadonlyMap<string, Line>>(new Map());
  const [refusal, setRefusal] = useState<GraphError | undefined>();
  const { items, totalCount } = data.account?.episodes ?? { items: [], totalCount: 0 };
  const applications = data.applications?.items ?? [];
  const changed = () => {
    setChosen(new Map());
    setRefusal(undefined);
    episodesChanged();
    reload();
  };
  const acknowledgeOne = (line: Line) =>
    void acknowledge([line]).then(changed, (error: unknown) => setRefusal(refusalOf(error)));
  const view = useListView(
    'alerts',
    columnsOf({
      applicationOf: (id) => applications.find((application) => application.id === id)?.name ?? '',
      personOf: (id) => personIn(data, id),
      acknowledge: mayWrite.value ? acknowledgeOne : undefined,
    }),
  );
  const filters = (
    <Filters address={address} of={data}>
      {view.menus}
    </Filters>
  );
  if (totalCount === 0)
    return (
      <>
        {filters}
        <None isFiltered={address.link({}).includes('?')} hasApplication={applications.length > 0} />
      </>
    );
  return (
    <>
      {filters}
      {mayWrite.value && (
        <div class="filters" role="group" aria-label="Chosen episodes">
          <span role="status">{chosen.size === 0 ? 'None chosen' : `${chosen.size.toLocaleString()} chosen`}</span>
          <AcknowledgeActions
            chosen={[...chosen.values()]}
            waiting={address.get('acknowledged') === 'yes' ? 0 : (data.account?.waiting.totalCount ?? null)}
            matching={matching}
            done={changed}
          />
        </div>
      )}
      {refusal && <Failure error={refusal} />}
      <Table
        label="Episodes"
        columns={view.columns}
        rows={items}
        address={address}
        {...(mayWrite.value && { choice: choiceOf(chosen, setChosen, items) })}
        busy={busy}
      />
      <Pager address={address} limit={limit} total={totalCount} />
    </>
  );
}

/** Returns the choice of rows, which is kept from page to page. */
const choiceOf = (
  chosen: ReadonlyMap<string, Line>,
  setChosen: (next: ReadonlyMap<string, Line>) => void,
  rows: readonly Line[],
): Choice<Line> => {
  const change = (lines: readonly Line[], on: boolean) => {
    const next = new Map(chosen);
    for (const line of lines) {
      if (on) next.set(line.id, line);
      else next.delete(line.id);
    }
    setChosen(next);
  };
  return {
    nameOf: ({ name, device, openedAt }) =>
      `${name}, ${device?.name ?? device?.serial ?? 'no device'}, ${formatTime(secondsOf(openedAt))}`,
    has: (id) => chosen.has(id),
    toggle: (id, on) =>
      change(
        rows.filter((row) => row.id === id),
        on,
      ),
    toggleAll: (on) => change(rows, on),
  };
};

/** Returns the name of the account that acknowledged: a member, or the organization by a token of its own. */
const personIn = ({ organizationMembers }: AlertsQuery, id: string): string => {
  const person = id === account.value?.id ? account.value : organizationMembers?.items.find((one) => one.id === id);
  return person === undefined ? 'somebody who left' : (person.name ?? person.username);
};

/** Says that no episode is listed. */
const None = ({ isFiltered, hasApplication }: { isFiltered: boolean; hasApplication: boolean }) =>
  isFiltered ? (
    <Empty title="No episode matches">
      <p>Change the filters.</p>
    </Empty>
  ) : !hasApplication ? (
    <Empty title="No application">
      <p>
        Rules belong to an <a href="/console/applications">application</a>, whose devices they watch.
      </p>
    </Empty>
  ) : (
    <Empty title="No alert yet">
      <p>
        A <a href="/console/alerts/rules">rule</a> opens an alert when a value is wrong or a device falls silent.
      </p>
    </Empty>
  );
