import { useEffect } from 'preact/hooks';
import type { Address } from '../browser/address.js';
import { endsOf, isZone, parseRange, type ranges, zone } from '../format/time.js';

const usual = { hour: 'Last hour', day: 'Last day', week: 'Last week', month: 'Last month' } as const;

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
  fallback?: keyof typeof ranges;
  /** Ranges to choose from, with their words. */
  names?: Readonly<Partial<Record<keyof typeof ranges, string>>>;
  follows?: boolean;
}) {
  const named = address.get('zone');
  useEffect(() => {
    if (isZone(named)) zone.value = named;
  }, [named]);
  const range = parseRange(address.get('range'), fallback);
  const { from, to } = endsOf(range);
  const between = (a: string, b: string) => {
    const [start, end] = [Date.parse(`${a}Z`) / 1000, Date.parse(`${b}Z`) / 1000];
    if (Number.isFinite(start) && Number.isFinite(end) && start < end)
      address.set({ range: `${start}..${end}`, before: '' });
  };
  const local = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 16);
  return (
    <div class="range-picker" role="group" aria-label="Time range">
      <select
        aria-label="Range"
        value={'last' in range ? range.last : 'between'}
        onChange={({ currentTarget: { value } }) =>
          address.set(
            value === 'between' ? { range: `${from}..${to}`, follow: '', before: '' } : { range: value, before: '' },
          )
        }
      >
        {Object.entries(names).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
        <option value="between">From, to (UTC)</option>
      </select>
      {!('last' in range) && (
        <>
          <input
            type="datetime-local"
            aria-label="From (UTC)"
            value={local(from)}
            onChange={({ currentTarget }) => between(currentTarget.value, local(to))}
          />
          <input
            type="datetime-local"
            aria-label="To (UTC)"
            value={local(to)}
            onChange={({ currentTarget }) => between(local(from), currentTarget.value)}
          />
        </>
      )}
      {follows && 'last' in range && (
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
