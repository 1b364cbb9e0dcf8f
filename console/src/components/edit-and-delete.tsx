import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { Action } from './action.js';
import { Section } from './page.js';

/** A button that changes the object of a screen. */
export const Edit = ({
  of,
  fields,
  save,
  reload,
}: {
  /** Kind of the object in a word: "device". */
  of: string;
  /** The fields of the form. */
  fields: ComponentChildren;
  save: (form: FormData) => Promise<unknown>;
  reload: () => void;
}) => (
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
);

/** Holds the actions that cannot be taken back, apart from the rest of a screen. */
export const DangerZone = ({ children }: { children: ComponentChildren }) => (
  <Section title="Danger zone">
    <ul class="danger-zone">{children}</ul>
  </Section>
);

/** A sentence of the danger zone with its button. */
export const Danger = ({ says, children }: { says: string; children: ComponentChildren }) => (
  <li>
    <span>{says}</span>
    {children}
  </li>
);

/** Deletes the object of a screen after confirmation, and returns to the list. */
export function Delete({
  of,
  list,
  consequence,
  remove,
}: {
  /** Kind of the object in a word: "device". */
  of: string;
  /** Path of the list that the object belongs to. */
  list: string;
  /** Effect of the deletion, as a sentence. */
  consequence: string;
  remove: () => Promise<unknown>;
}) {
  const { route } = useLocation();
  return (
    <Danger says={consequence}>
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
    </Danger>
  );
}
