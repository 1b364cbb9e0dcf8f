import { useEffect, useRef, useState } from 'preact/hooks';
import type { Address } from '../browser/address.js';

/** Time in milliseconds after the last key until a filter applies. */
const pause = 300;

/**
 * The text filter of a list, kept in the address of the screen. It applies by itself after a pause, and at once by
 * Enter.
 * @param of name of the filtered field.
 */
export const NameFilter = ({ address, of = 'Name' }: { address: Address; of?: string }) => (
  <TextFilter address={address} name="q" label={`Filter by ${of.toLowerCase()}`} placeholder={of} />
);

/** A text filter by a parameter of the address. */
export function TextFilter({
  address,
  name,
  label,
  placeholder,
  short = false,
}: {
  address: Address;
  name: string;
  label: string;
  placeholder: string;
  short?: boolean;
}) {
  const applied = address.get(name);
  const [text, setText] = useState(applied);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setText(applied), [applied]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const latest = useRef(address);
  latest.current = address;
  const apply = (value: string) => {
    clearTimeout(timer.current);
    if (value !== latest.current.get(name)) latest.current.set({ [name]: value });
  };
  return (
    <input
      type="search"
      class={short ? 'short' : undefined}
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onInput={({ currentTarget: { value } }) => {
        setText(value);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => apply(value), pause);
      }}
      onChange={({ currentTarget: { value } }) => apply(value)}
    />
  );
}
