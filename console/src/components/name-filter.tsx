import type { Address } from '../address.js';

/**
 * The text filter of a list, kept in the address of the screen.
 * @param of name of the filtered field.
 */
export const NameFilter = ({ address, of = 'Name' }: { address: Address; of?: string }) => (
  <input
    type="search"
    aria-label={`Filter by ${of.toLowerCase()}`}
    placeholder={of}
    value={address.get('q')}
    onChange={({ currentTarget }) => address.set({ q: currentTarget.value })}
  />
);
