import type { Address } from '../browser/address.js';

/** A filter that chooses one of a few values, kept in the address of the screen. */
export const SelectFilter = ({
  address,
  name,
  label,
  every,
  of,
  value = address.get(name),
  also,
}: {
  address: Address;
  /** Parameter of the address. */
  name: string;
  label: string;
  /** Text of the choice that filters nothing; undefined when one value is always chosen. */
  every?: string;
  of: readonly { readonly id: string; readonly name: string }[];
  /** The value that is shown; by default that of the address. */
  value?: string;
  /** Parameters that a choice changes as well. */
  also?: Readonly<Record<string, string>>;
}) => (
  <select
    aria-label={label}
    value={value}
    onChange={({ currentTarget }) => address.set({ ...also, [name]: currentTarget.value })}
  >
    {every !== undefined && <option value="">{every}</option>}
    {of.map((one) => (
      <option key={one.id} value={one.id}>
        {one.name}
      </option>
    ))}
  </select>
);
