import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { Action } from './action.js';

/** The buttons of a screen that change what it shows, or delete it and go back to the list. */
export function EditAndDelete({
  of,
  list,
  fields,
  consequence,
  save,
  remove,
  reload,
}: {
  /** What it is, in a word: "device". */
  of: string;
  /** The path of the list that it is in. */
  list: string;
  /** The fields of the form. */
  fields: ComponentChildren;
  /** What is said before it is deleted. */
  consequence: string;
  save: (form: FormData) => Promise<unknown>;
  remove: () => Promise<unknown>;
  reload: () => void;
}) {
  const { route } = useLocation();
  return (
    <>
      <Action
        label="Edit"
        title={`Edit the ${of}`}
        action="Save"
        submit={async (form) => {
          await save(form);
          reload();
        }}
      >
        {fields}
      </Action>
      <Action
        label="Delete"
        title={`Delete the ${of}`}
        danger
        submit={async () => {
          await remove();
          route(list);
        }}
      >
        <p>{consequence}</p>
      </Action>
    </>
  );
}
