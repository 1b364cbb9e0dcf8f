import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { FormDialog } from './dialog.js';

/** A button that opens a dialog, whose form carries an action out. */
export function Action({
  label,
  title = label,
  action = label,
  primary = false,
  danger = false,
  submit,
  children,
}: {
  label: string;
  /** What the dialog is called, unless as the button. */
  title?: string;
  /** What the button in the dialog says, unless the same. */
  action?: string;
  primary?: boolean;
  danger?: boolean;
  submit: (form: FormData) => Promise<unknown>;
  children: ComponentChildren;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class={primary ? 'primary' : undefined} onClick={() => setOpen(true)}>
        {label}
      </button>
      {open && (
        <FormDialog title={title} action={action} danger={danger} submit={submit} close={() => setOpen(false)}>
          {children}
        </FormDialog>
      )}
    </>
  );
}
