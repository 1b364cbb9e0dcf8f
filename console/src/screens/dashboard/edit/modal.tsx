import type { ComponentChildren } from 'preact';
import { useModal } from '../../../components/use-modal.js';

/** A modal dialog with a title. Escape closes it. */
export function Modal({
  title,
  wide = false,
  close,
  children,
}: {
  title: string;
  wide?: boolean;
  close: () => void;
  children: ComponentChildren;
}) {
  return (
    <dialog ref={useModal()} class={wide ? 'modal wide' : 'modal'} aria-label={title} onClose={close}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}
