import { said } from '../../../format/look.js';
import type { TopResult } from '../data/results.js';
import { deviceLink } from './device-link.js';

/** Devices with the highest or lowest values, each with a bar. */
export function TopBody({ label, result: { entries, look } }: { label: string; result: TopResult }) {
  const values = entries.map(({ value }) => value);
  // Bars start at zero when the values are near zero. Otherwise they start near the smallest value.
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const base = low >= 0 ? 0 : low - (high - low) * 0.1;
  return (
    <ol class="top-list panel-scroll" aria-label={label} tabIndex={0}>
      {entries.map(({ id, name, value }, index) => (
        <li key={id ?? name}>
          <span class="quiet place">{index + 1}</span>
          <span class="cut" title={name}>
            {id === null ? name : deviceLink(id, name)}
          </span>
          <b>{said(look.decimals == null ? Number(value.toPrecision(5)) : value, look)}</b>
          <span class="track" aria-hidden="true">
            <span style={{ width: `${high === base ? 100 : Math.max(1, ((value - base) / (high - base)) * 100)}%` }} />
          </span>
        </li>
      ))}
    </ol>
  );
}
