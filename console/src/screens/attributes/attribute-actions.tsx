import { useState } from 'preact/hooks';
import { ask } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import { textOf } from '../../browser/form.js';
import { Action } from '../../components/action.js';
import { Field } from '../../components/dialog.js';
import { zone } from '../../format/time.js';
import { type AttributeOwner, documents } from './documents.js';
import { attributeIn, type Type, typeOf, types } from './value.js';

interface Props {
  readonly of: AttributeOwner;
  readonly reload: () => void;
}

const namesOf = ({ id }: AttributeOwner) => ({ organizationId: organizationId.value, id });

/** Gives a device or a site an attribute, or one that it has another value. */
export const SetAttribute = ({ of, name, value, reload }: Props & { name?: string; value?: unknown }) => (
  <Action
    label={name === undefined ? 'Set an attribute' : 'Change'}
    title={name === undefined ? 'Set an attribute' : `Change ${name}`}
    action="Set"
    done={name === undefined ? 'The attribute was set.' : `${name} was set.`}
    submit={async (form) => {
      const attributes = [attributeIn(form, textOf(form, 'type') as Type)];
      await ask(documents[of.kind].set, { ...namesOf(of), attributes });
      reload();
    }}
  >
    <ValueFields name={name} value={value} />
  </Action>
);

const ValueFields = ({ name, value }: { name: string | undefined; value: unknown }) => {
  const [type, setType] = useState<Type>(value === undefined ? 'number' : typeOf(value));
  const { none: _none, ...valued } = types;
  return (
    <>
      {name === undefined ? (
        <Field label="Name" hint="An attribute that it has already gets another value.">
          <input name="name" required maxLength={64} autocomplete="off" spellcheck={false} />
        </Field>
      ) : (
        <input type="hidden" name="name" value={name} />
      )}
      <Field label="Type">
        <select name="type" value={type} onChange={({ currentTarget }) => setType(currentTarget.value as Type)}>
          {Object.entries(name === undefined ? valued : types).map(([one, words]) => (
            <option key={one} value={one}>
              {words}
            </option>
          ))}
        </select>
      </Field>
      {type !== 'none' && (
        <Field label="Value">
          <ValueField type={type} value={value} />
        </Field>
      )}
      <Field
        label="Holds from"
        hint={`Empty for now; or 2026-10-25 08:00, or 3d for three days ago. In ${zone.value}. Replaces a value of the same time.`}
      >
        <input name="validFrom" autocomplete="off" spellcheck={false} placeholder="now" />
      </Field>
    </>
  );
};

const ValueField = ({ type, value }: { type: Exclude<Type, 'none'>; value: unknown }) => {
  const own = value !== undefined && typeOf(value) === type ? `${value as string | number | boolean}` : '';
  if (type === 'boolean')
    return (
      <select name="value" defaultValue={own === 'false' ? 'false' : 'true'}>
        <option value="true">Yes (true)</option>
        <option value="false">No (false)</option>
      </select>
    );
  if (type === 'number')
    return <input key="number" name="value" type="number" step="any" required defaultValue={own} />;
  return <textarea key="text" name="value" rows={2} defaultValue={own} />;
};

/** Ends an attribute, or deletes it with its values over time. */
export const RemoveAttribute = ({ of, name, holds, reload }: Props & { name: string; holds: boolean }) => (
  <Action
    label="Delete"
    title={`Delete ${name}`}
    danger
    done={`${name} was deleted.`}
    submit={async (form) => {
      const attributes = [{ name, value: null }];
      await (textOf(form, 'values') === 'keep'
        ? ask(documents[of.kind].set, { ...namesOf(of), attributes })
        : ask(documents[of.kind].remove, { ...namesOf(of), name }));
      reload();
    }}
  >
    {holds && (
      <Field label="Its values until now">
        <select name="values">
          <option value="keep">Keep them: it has no value from now on</option>
          <option value="delete">Delete them, too</option>
        </select>
      </Field>
    )}
    <p>
      Formulas computed stored records with the values that it had. They are computed again only when the product is
      recomputed.
    </p>
  </Action>
);

/** Deletes one value of an attribute. The value before it then holds until the next. */
export const RemoveVersion = ({ of, name, validFrom, reload }: Props & { name: string; validFrom: number }) => (
  <Action
    label="Delete"
    title="Delete the value"
    danger
    done="The value was deleted."
    submit={async () => {
      await ask(documents[of.kind].remove, { ...namesOf(of), name, validFrom });
      reload();
    }}
  >
    <p>The value before it then holds until the next one.</p>
  </Action>
);
