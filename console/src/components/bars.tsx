import { shown } from '../format/value.js';

/** Shows values as bars with their numbers. A negative value has a number but no bar. */
export function Bars({ label, of }: { label: string; of: readonly { name: string; value: number | null }[] }) {
  const largest = Math.max(0, ...of.map(({ value }) => value ?? 0));
  return (
    <div role="group" aria-label={label}>
      <dl class="bars">
        {of.map(({ name, value }, index) => (
          <div key={index}>
            <dt>{name}</dt>
            <dd>
              <span
                class="bar"
                aria-hidden="true"
                style={{ width: `${largest === 0 || value === null ? 0 : Math.max(0, (value / largest) * 100)}%` }}
              />
              <span class="number">{value === null ? '' : shown(value, null, 4)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
