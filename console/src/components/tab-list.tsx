import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useAddress } from '../browser/address.js';

/** A tab with its panel. */
export interface Tab {
  /** Name of the tab in the address. */
  readonly id: string;
  readonly title: string;
  /** Number beside the title. Zero is left out. */
  readonly count?: number | null;
  show(): ComponentChildren;
}

/**
 * Tabs of a screen (WAI-ARIA tabs). The address has the chosen tab (`tab`); without it, the first tab is chosen. The
 * arrow keys, Home and End choose another tab.
 */
export function TabList({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const address = useAddress();
  const list = useRef<HTMLDivElement>(null);
  const place = Math.max(
    0,
    tabs.findIndex(({ id }) => id === address.get('tab')),
  );
  const choose = (next: number) => {
    address.set({ tab: next === 0 ? '' : tabs[next]!.id });
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose((next + tabs.length) % tabs.length);
  };
  const chosen = tabs[place]!;
  return (
    <section class="tabbed" aria-label={label}>
      <div ref={list} role="tablist" aria-label={label} class="tabs line" onKeyDown={onKeyDown}>
        {tabs.map(({ id, title, count }, index) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-controls={index === place ? `panel-${id}` : undefined}
            aria-selected={index === place}
            tabIndex={index === place ? 0 : -1}
            onClick={() => choose(index)}
          >
            {title}
            {count != null && count > 0 && <span class="tab-count">{count.toLocaleString()}</span>}
          </button>
        ))}
      </div>
      <div key={chosen.id} role="tabpanel" id={`panel-${chosen.id}`} aria-labelledby={`tab-${chosen.id}`}>
        {chosen.show()}
      </div>
    </section>
  );
}
