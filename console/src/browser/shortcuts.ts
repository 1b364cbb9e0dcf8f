import { signal } from '@preact/signals';

/** Overlay that is open: the search, the list of shortcuts, or none. */
export const palette = signal<'find' | 'keys' | undefined>();

/** Opens the search, or the list of shortcuts. */
export const openPalette = (what: unknown): void => {
  palette.value = what === 'keys' ? 'keys' : 'find';
};

/**
 * Whether the pressed keys go to a field, so that they are no shortcut. The field may be in a shadow root, whose host is
 * the target of the event.
 */
export const isTyping = (event: KeyboardEvent): boolean => {
  const [field] = event.composedPath();
  return field instanceof HTMLElement && (field.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(field.tagName));
};

/**
 * Runs the shortcuts of every screen: Ctrl+K finds, `/` goes to the filter, `?` lists the shortcuts. Returns the
 * function that stops this.
 */
export function listenForShortcuts(): () => void {
  const onKey = (event: KeyboardEvent) => {
    const isFind = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    if (isFind) openPalette('find');
    else if (isTyping(event) || document.querySelector('dialog[open]') !== null) return;
    else if (event.key === '?') openPalette('keys');
    else if (event.key === '/') {
      const filter = document.querySelector<HTMLElement>('main input[type="search"]');
      if (filter === null) openPalette('find');
      else filter.focus();
    } else return;
    event.preventDefault();
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
