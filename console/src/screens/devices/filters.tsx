import type { ComponentChildren } from 'preact';
import type { DevicesQuery } from '../../api/documents.js';
import type { Address } from '../../browser/address.js';
import { NameFilter, TextFilter } from '../../components/name-filter.js';
import { silences } from './filter.js';

interface Named {
  readonly id: string;
  readonly name: string;
}

export const Filters = ({
  address,
  of: { products, applications },
  children,
}: {
  address: Address;
  of: DevicesQuery;
  children: ComponentChildren;
}) => (
  <div class="filters">
    <NameFilter address={address} of="Serial or name" />
    <TextFilter address={address} name="tag" label="Tag" placeholder="Tag" short />
    <Select address={address} name="product" label="Product" every="Every product" of={products?.items ?? []} />
    <Select
      address={address}
      name="application"
      label="Application"
      every="Every application"
      of={applications?.items ?? []}
    />
    <Select
      address={address}
      name="silent"
      label="Silent"
      every="Heard or silent"
      of={Object.entries(silences).map(([id, name]) => ({ id, name: `Silent for ${name}` }))}
    />
    {children}
  </div>
);

const Select = ({
  address,
  name,
  label,
  every,
  of,
}: {
  address: Address;
  name: string;
  label: string;
  every: string;
  of: readonly Named[];
}) => (
  <select
    aria-label={label}
    value={address.get(name)}
    onChange={({ currentTarget: { value } }) => address.set({ [name]: value })}
  >
    <option value="">{every}</option>
    {of.map((one) => (
      <option key={one.id} value={one.id}>
        {one.name}
      </option>
    ))}
  </select>
);
