import type { ComponentChildren } from 'preact';
import type { DevicesQuery } from '../../api/documents.js';
import type { Address } from '../../browser/address.js';
import { NameFilter, TextFilter } from '../../components/name-filter.js';
import { SelectFilter } from '../../components/select-filter.js';
import { silences } from './filter.js';

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
    <SelectFilter address={address} name="product" label="Product" every="Every product" of={products?.items ?? []} />
    <SelectFilter
      address={address}
      name="application"
      label="Application"
      every="Every application"
      of={applications?.items ?? []}
    />
    <SelectFilter
      address={address}
      name="silent"
      label="Silent"
      every="Heard or silent"
      of={Object.entries(silences).map(([id, name]) => ({ id, name: `Silent for ${name}` }))}
    />
    {children}
  </div>
);
