import type { Address } from '../address.js';

/** The text that filters a list, in the address of the screen. @param of what it is matched against */
export const NameFilter = ({ address, of = 'Name' }: { address: Address; of?: string }) => (
  <input
    type="search"
    aria-label={`Filter by ${of.toLowerCase()}`}
    placeholder={of}
    value={address.get('q')}
    onChange={({ currentTarget }) => address.set({ q: currentTarget.value })}
  />
);
