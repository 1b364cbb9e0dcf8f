import { useEffect, useState } from 'preact/hooks';
import type { Address } from '../browser/address.js';
import { calendarNames, endsOf, instantText, nameOfLength, parseInstant, parseRange } from '../format/range.js';
import { isZone, zone } from '../format/time.js';

const usual = { hour: 'Last hour', '6h': 'Last 6 hours', day: 'Last day', week: 'Last 7 days', month: 'Last 30 days' };
const short = { '15m': 'Last 15 minutes' };

/**
 * Picks the time range (`range` in the address) and, on screens that support it, whether the range follows the clock
 * (`follow`). Shows the time zone. A `zone` in the address, which a shared link has, becomes the time zone of the page.
 */
export function RangePicker({
  address,
  fallback = 'day',
  names = usual,
  follows = false,
}: {
  address: Address;
  fallback?: string;
  /** Ranges to choose from, with their words. */
  names?: Readonly<Record<string, string>>;
  follows?: boolean;
}) {
  const named = address.get('zone');
  useEffect(() => {
    if (isZone(named)) zone.value = named;
  }, [named]);
  const range = parseRange(address.get('range'), fallback);
  const { from, to } = endsOf(range);
  const name = 'name' in range ? range.name : undefined;
  const all: Record<string, string> = { ...short, ...names, ...calendarNames };
  const between = (start: number, end: number) => address.set({ range: `${start}..${end}`, follow: '', before: '' });
  const length = to - from;
  const shift = (by: number) => between(Math.max(0, from + by), to + by);
  return (
    <div class="range-picker" role="group" aria-label="Time range">
      <button type="button" class="plain" aria-label="Earlier" title="Earlier" onClick={() => shift(-length)}>
        ‹
      </button>
      <select
        aria-label="Range"
        value={name ?? 'between'}
        onChange={({ currentTarget: { value } }) =>
          value === 'between' ? between(from, to) : address.set({ range: value, before: '' })
        }
      >
        {name !== undefined && !Object.hasOwn(all, name) && <option value={name}>{nameOfLength(name)}</option>}
        {Object.entries(all).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
        <option value="between">From, to</option>
      </select>
      {name === undefined && (
        <>
          <Instant label="From" value={from} isAllowed={(at) => at < to} choose={(at) => between(at, to)} />
          <Instant label="To" value={to} isAllowed={(at) => at > from} choose={(at) => between(from, at)} />
        </>
      )}
      <button type="button" class="plain" aria-label="Later" title="Later" onClick={() => shift(length)}>
        ›
      </button>
      <button
        type="button"
        class="plain"
        aria-label="Twice as long"
        title="Twice as long"
        onClick={() => between(Math.max(0, Math.floor(from - length / 2)), Math.ceil(to + length / 2))}
      >
        ⤢
      </button>
      {follows && name !== undefined && (
        <button
          type="button"
          aria-pressed={address.get('follow') !== ''}
          onClick={() => address.set({ follow: address.get('follow') === '' ? '1' : '' })}
        >
          Follow
        </button>
      )}
      <span class="quiet zone" title="Change it in the menu of your account">
        {zone.value}
      </span>
    </div>
  );
}

/** A typed end of the range, in the time zone that is shown. */
function Instant({
  label,
  value,
  isAllowed,
  choose,
}: {
  label: string;
  value: number;
  isAllowed: (at: number) => boolean;
  choose: (at: number) => void;
}) {
  // Kept, so that the person can correct it.
  const [wrong, setWrong] = useState<string | undefined>();
  const text = instantText(value);
  useEffect(() => setWrong(undefined), [text]);
  return (
    <input
      class="instant"
      aria-label={`${label} (${zone.value})`}
      aria-invalid={wrong !== undefined}
      title="2026-10-25 08:00, 3d for three days ago, or now"
      value={wrong ?? text}
      spellcheck={false}
      onChange={({ currentTarget }) => {
        const at = parseInstant(currentTarget.value);
        if (at === undefined || !isAllowed(at)) setWrong(currentTarget.value);
        else {
          setWrong(undefined);
          choose(at);
        }
      }}
    />
  );
}
