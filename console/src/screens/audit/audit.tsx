import { useMemo } from 'preact/hooks';
import { AuditDocument, type AuditOutcome } from '../../api/documents.js';
import { isOwner, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { type Address, useAddress } from '../../browser/address.js';
import { useRange } from '../../browser/use-range.js';
import { ExportButton } from '../../components/export-button.js';
import { Page } from '../../components/page.js';
import { RangePicker } from '../../components/range-picker.js';
import { Empty, Loading } from '../../components/state.js';
import { Pager, Table } from '../../components/table.js';
import { columns } from './columns.js';

const limit = 50;

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
  const events = useQuery(AuditDocument, {
    organizationId: organizationId.value,
    actor: address.get('actor') || null,
    action: address.get('action') || null,
    target: address.get('target') || null,
    outcome: (address.get('outcome') as AuditOutcome) || null,
    from,
    to,
    limit,
    page: Number(address.get('page')) || 1,
  });
  const parameters = useMemo(() => ({ of: 'auditEvents', from: `${from}`, to: `${to}` }), [from, to]);
  return (
    <Page title="Audit" actions={<ExportButton label="Save as CSV" parameters={parameters} />}>
      <div class="filters">
        <Text address={address} name="actor" label="Who" hint="Name or identifier" />
        <Text address={address} name="action" label="Action" hint="Such as updateTeam" />
        <Text address={address} name="target" label="Thing" hint="Name, kind or identifier" />
        <select
          aria-label="Outcome"
          value={address.get('outcome')}
          onChange={({ currentTarget: { value } }) => address.set({ outcome: value })}
        >
          <option value="">Done or refused</option>
          <option value="success">Done</option>
          <option value="refused">Refused</option>
        </select>
        <RangePicker address={address} fallback="month" />
      </div>
      <Loading of={events} rows={20}>
        {({ auditEvents: { items, totalCount } }) =>
          items.length === 0 ? (
            <Empty title="No event matches">
              <p>Change the filters, or choose a longer range.</p>
            </Empty>
          ) : (
            <>
              <Table label="Events" columns={columns} rows={items} address={address} busy={events.loading} />
              <Pager address={address} limit={limit} total={totalCount} />
            </>
          )
        }
      </Loading>
    </Page>
  );
}

/** A text that filters, in the address. It counts when it is complete, and not with each letter. */
const Text = ({ address, name, label, hint }: { address: Address; name: string; label: string; hint: string }) => (
  <input
    type="search"
    aria-label={label}
    placeholder={`${label}: ${hint.toLowerCase()}`}
    title={hint}
    value={address.get(name)}
    onChange={({ currentTarget: { value } }) => address.set({ [name]: value.trim() })}
  />
);
