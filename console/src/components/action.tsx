import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { FormDialog } from './dialog.js';

/** A button that opens a dialog with a form. Submitting the form runs the action. */
export function Action({
  label,
  title = label,
  action = label,
  primary = false,
  danger = false,
  done,
  undo,
  submit,
  children,
}: {
  label: string;
  /** Title of the dialog; by default the label. */
  title?: string;
  /** Text of the dialog's button; by default the label. */
  action?: string;
  primary?: boolean;
  danger?: boolean;
  /** Message that says what was done. */
  done?: string;
  /** Whether the message offers to undo the change by submitting the earlier values of the fields. */
  undo?: boolean;
  submit: (form: FormData) => Promise<unknown>;
  children: ComponentChildren;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class={primary ? 'primary' : danger ? 'risky' : undefined} onClick={() => setOpen(true)}>
        {label}
      </button>
      {open && (
        <FormDialog
          title={title}
          action={action}
          danger={danger}
          submit={submit}
          done={done}
          undo={undo ?? false}
          close={() => setOpen(false)}
        >
          {children}
        </FormDialog>
      )}
    </>
  );
}
