import type { TargetedKeyboardEvent } from 'preact';
import { useState } from 'preact/hooks';

/** An option that can be chosen. */
export interface Option {
  readonly value: string;
  readonly title: string;
}

/** Closes a menu by Escape, and gives the focus back to its button. */
export const closeByEscape = (event: TargetedKeyboardEvent<HTMLDetailsElement>) => {
  const menu = event.currentTarget;
  // A dialog inside the menu closes itself. A dialog around it stays open.
  if (event.key !== 'Escape' || !menu.open || (event.target as Element).closest('dialog, details') !== menu) return;
  event.preventDefault();
  menu.open = false;
  menu.querySelector('summary')?.focus();
};

/**
 * Chooses several of many options: a button that shows how many are chosen, and a list with a search field. Escape
 * closes it.
 */
export function Choices({
  label,
  none,
  options,
  chosen,
  choose,
}: {
  label: string;
  /** Text shown when no option is chosen. */
  none: string;
  options: readonly Option[];
  chosen: readonly string[];
  choose: (values: string[]) => void;
}) {
  const [text, setText] = useState('');
  const found = options.filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()));
  const names = chosen.map((value) => options.find((option) => option.value === value)?.title ?? value);
  return (
    <details class="choices" onKeyDown={closeByEscape}>
      <summary>
        <span class="quiet">{label}</span>{' '}
        {names.length === 0 ? none : names.length <= 2 ? names.join(', ') : names.length}
      </summary>
      <fieldset>
        <legend class="visually-hidden">{label}</legend>
        {options.length > 8 && (
          <input
            type="search"
            aria-label={`Find ${label.toLowerCase()}`}
            placeholder="Find"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
        <div class="options">
          {found.map(({ value, title }) => (
            <label class="check" key={value}>
              <input
                type="checkbox"
                checked={chosen.includes(value)}
                onChange={({ currentTarget }) =>
                  choose(currentTarget.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
                }
              />
              {title}
            </label>
          ))}
        </div>
        {chosen.length > 0 && (
          <button type="button" onClick={() => choose([])}>
            {none}
          </button>
        )}
      </fieldset>
    </details>
  );
}
