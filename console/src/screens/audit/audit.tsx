import { useMemo } from 'preact/hooks';
import { AuditDocument, type AuditOutcome } from '../../api/documents.js';
import { isOwner, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { useRange } from '../../browser/use-range.js';
import { ExportButton } from '../../components/export-button.js';
import { useListView } from '../../components/list-view.js';
import { TextFilter } from '../../components/name-filter.js';
import { Page } from '../../components/page.js';
import { RangePicker } from '../../components/range-picker.js';
import { SelectFilter } from '../../components/select-filter.js';
import { Empty, Loading } from '../../components/state.js';
import { Pager, Table } from '../../components/table.js';
import { columns } from './columns.js';

const limit = 50;

const outcomes = [
  { id: 'success', name: 'Done' },
  { id: 'refused', name: 'Refused' },
];

/** Lists the events of the organization, the newest first. */
export function AuditScreen() {
  return isOwner.value ? (
    <Audit />
  ) : (
    <Page title="Audit">
      <Empty title="Only owners of the organization read its audit log" />
    </Page>
  );
}

function Audit() {
  const address = useAddress();
  const { from, to } = useRange(address, 'month');
  const view = useListView('audit', columns);
  const events = useQuery(AuditDocument, {
    organizationId: organizationId.value,
    filter: {
      actor: address.get('actor') || null,
      action: address.get('action') || null,
      target: address.get('target') || null,
      outcome: (address.get('outcome') as AuditOutcome) || null,
      from,
      to,
    },
    limit,
    page: Number(address.get('page')) || 1,
  });
  const parameters = useMemo(() => ({ of: 'auditEvents', from: `${from}`, to: `${to}` }), [from, to]);
  return (
    <Page title="Audit" actions={<ExportButton label="Save the range as CSV" parameters={parameters} />}>
      <div class="filters">
        <TextFilter address={address} name="actor" label="Who" placeholder="Who: name or identifier" />
        <TextFilter address={address} name="action" label="Action" placeholder="Action: such as updateTeam" />
        <TextFilter address={address} name="target" label="Thing" placeholder="Thing: name, kind or identifier" />
        <SelectFilter address={address} name="outcome" label="Outcome" every="Done or refused" of={outcomes} />
        <RangePicker address={address} fallback="month" />
        {view.menus}
      </div>
      <Loading of={events} rows={20}>
        {({ auditEvents: { items, totalCount } }) =>
          totalCount === 0 ? (
            <Empty title="No event matches">
              <p>Change the filters, or choose a longer range.</p>
            </Empty>
          ) : (
            <>
              <Table label="Events" columns={view.columns} rows={items} address={address} busy={events.loading} />
              <Pager address={address} limit={limit} total={totalCount} />
            </>
          )
        }
      </Loading>
    </Page>
  );
}
