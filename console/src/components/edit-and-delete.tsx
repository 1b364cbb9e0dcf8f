import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { Action } from './action.js';

/** Buttons that change the object of a screen, or delete it and return to the list. */
export function EditAndDelete({
  of,
  list,
  fields,
  consequence,
  save,
  remove,
  reload,
}: {
  /** Kind of the object in a word: "device". */
  of: string;
  /** Path of the list that the object belongs to. */
  list: string;
  /** The fields of the form. */
  fields: ComponentChildren;
  /** Warning shown before the deletion. */
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
        done={`The ${of} was saved.`}
        undo
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
        done={`The ${of} was deleted.`}
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
