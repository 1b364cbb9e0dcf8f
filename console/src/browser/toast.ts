import { signal } from '@preact/signals';

/** A message that says what was done. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  /** Reverts the change. */
  readonly undo?: (() => Promise<unknown>) | undefined;
}

/** The messages that are shown, the newest last. */
export const toasts = signal<readonly Toast[]>([]);

let count = 0;
/** Time in milliseconds that a message is shown. A message with an undo button stays longer. */
const shownFor = { plain: 5000, undo: 12_000 };

/** Says what was done, for some seconds. */
export function toast(text: string, undo?: () => Promise<unknown>): void {
  const id = ++count;
  toasts.value = [...toasts.value.slice(-2), { id, text, undo }];
  setTimeout(() => dismiss(id), undo === undefined ? shownFor.plain : shownFor.undo);
}

/** Says why something failed, for some seconds. */
export const toastError = (error: unknown): void => toast(error instanceof Error ? error.message : String(error));

/** Takes a message away. */
export const dismiss = (id: number): void => {
  toasts.value = toasts.value.filter((one) => one.id !== id);
};
