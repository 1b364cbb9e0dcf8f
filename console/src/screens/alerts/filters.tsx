import type { ComponentChildren } from 'preact';
import type { AlertsQuery } from '../../api/documents.js';
import type { Address } from '../../browser/address.js';
import { severities } from '../../components/badge.js';
import { SelectFilter } from '../../components/select-filter.js';

const states = [
  { id: 'open', name: 'Open' },
  { id: 'closed', name: 'Closed' },
];

const acknowledgements = [
  { id: 'no', name: 'Not acknowledged' },
  { id: 'yes', name: 'Acknowledged' },
];

/** The filters of the list of episodes. Those by rule and by device are set by links. */
export const Filters = ({
  address,
  of,
  children,
}: {
  address: Address;
  of: AlertsQuery;
  children: ComponentChildren;
}) => {
  const [device] = of.devices?.items ?? [];
  const rule = address.get('rule');
  const ruleName = of.account?.episodes.items.find(({ alertRuleId }) => alertRuleId === rule)?.name;
  return (
    <div class="filters">
      <SelectFilter
        address={address}
        name="application"
        label="Application"
        every="Every application"
        of={of.applications?.items ?? []}
      />
      <SelectFilter
        address={address}
        name="severity"
        label="Severity"
        every="Every severity"
        of={severities.map((id) => ({ id, name: id }))}
      />
      <SelectFilter address={address} name="state" label="State" every="Open or closed" of={states} />
      <SelectFilter
        address={address}
        name="acknowledged"
        label="Acknowledged"
        every="Acknowledged or not"
        of={acknowledgements}
      />
      {address.get('device') !== '' && (
        <Chip
          text={`Device: ${device === undefined ? 'not found' : (device.name ?? device.serial)}`}
          without="Every device"
          href={address.link({ device: undefined })}
        />
      )}
      {rule !== '' && (
        <Chip text={`Rule: ${ruleName ?? 'chosen'}`} without="Every rule" href={address.link({ rule: undefined })} />
      )}
      {children}
    </div>
  );
};

const Chip = ({ text, without, href }: { text: string; without: string; href: string }) => (
  <span class="chip">
    {text} <a href={href}>{without}</a>
  </span>
);
