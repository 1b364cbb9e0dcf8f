import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { GraphError, refusalOf } from '../api/graph.js';
import { toast } from '../browser/toast.js';
import { Failure } from './state.js';
import { useModal } from './use-modal.js';

/** Result of `submit` that keeps a dialog open for its next step. */
export const nextStep = Symbol('next step');

/**
 * A modal dialog with a form. `submit` makes the change; when it is refused, the dialog stays open and shows the
 * reason. It also stays open for {@link nextStep}. The browser keeps the focus inside the dialog and closes it with Escape.
 */
export function FormDialog({
  title,
  action,
  danger = false,
  submit,
  done,
  undo = false,
  close,
  children,
}: {
  title: string;
  /** Text of the submit button. */
  action: string;
  danger?: boolean;
  submit: (form: FormData) => Promise<unknown>;
  /** Message that says what was done. */
  done?: string | undefined;
  /** Whether the message offers to undo the change by submitting the earlier values of the fields. */
  undo?: boolean;
  close: () => void;
  children: ComponentChildren;
}) {
  const dialog = useModal();
  const [error, setError] = useState<GraphError | undefined>();
  const [busy, setBusy] = useState(false);
  const before = useRef<FormData | undefined>(undefined);
  useEffect(() => {
    before.current = new FormData(dialog.current!.querySelector('form')!);
  }, []);
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    const form = event.currentTarget as HTMLFormElement;
    try {
      if ((await submit(new FormData(form))) === nextStep) return;
      close();
      const fields = before.current;
      if (done !== undefined) toast(done, undo && fields !== undefined ? () => submit(fields) : undefined);
    } catch (cause) {
      setError(inWordsOf(form, refusalOf(cause)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} onClose={close} aria-label={title}>
      <form onSubmit={(event) => void onSubmit(event)}>
        <h2>{title}</h2>
        {children}
        {error && (
          <>
            <Failure error={error} />
            {error.faults.length > 1 && (
              <ul class="faults">
                {error.faults.map(({ path, message }) => (
                  <li key={path}>
                    {path} {message}
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
        <div class="actions end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button
            type="submit"
            class={danger ? 'primary danger' : 'primary'}
            disabled={busy}
            // The second click of a double click would submit the next step, which nobody has read.
            onClick={(event) => event.detail > 1 && event.preventDefault()}
          >
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** Names a refusal's faults by the labels of the fields that they are about, in place of the arguments' names. */
function inWordsOf(form: HTMLFormElement, error: GraphError): GraphError {
  const faults = error.faults.map(({ path, message }) => ({ path: labelOf(form, path) ?? path, message }));
  const [first] = faults;
  if (first === undefined) return error;
  const message = faults.length > 1 ? 'Several fields are not valid:' : `${first.path} ${first.message}.`;
  return new GraphError(message, error.code, error.requestId, faults);
}

/** Returns the label of the field that an argument's value comes from. `deviceSerial` comes from the field `serial`. */
function labelOf(form: HTMLFormElement, path: string): string | undefined {
  const name = path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? path;
  const field =
    form.elements.namedItem(name) ?? form.elements.namedItem(name.replace(/^.*(?=[A-Z])/, '').toLowerCase());
  return field instanceof HTMLElement
    ? (field.closest('label')?.querySelector('.field-label')?.textContent ?? undefined)
    : undefined;
}

/** A labelled field of a form. */
export const Field = ({ label, hint, children }: { label: string; hint?: string; children: ComponentChildren }) => (
  <div class="field">
    <label class="field">
      <span class="field-label">{label}</span>
      {children}
    </label>
    {hint !== undefined && <span class="quiet hint">{hint}</span>}
  </div>
);
