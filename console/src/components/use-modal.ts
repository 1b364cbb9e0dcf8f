import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/**
 * Shows a dialog over the screen. When the dialog closes, the focus returns to the element that had it, for people
 * without a mouse.
 */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // The rest of the page cannot take the focus until the dialog is out of the document.
    return () => queueMicrotask(() => giveBack(before));
  }, []);
  return dialog;
}

const giveBack = (before: Element | null): void => {
  if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
};
