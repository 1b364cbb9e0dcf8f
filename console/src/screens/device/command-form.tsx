import { useState } from 'preact/hooks';
import type { DeclaredCommandFragment } from '../../api/documents.js';
import { textOf } from '../../browser/form.js';
import { Field } from '../../components/dialog.js';
import { TypedField, typedValue } from './typed-field.js';

/** A command that a form offers. */
export interface CommandChoice {
  /** Text that tells the command from the others of the form. */
  readonly label: string;
  readonly name: string;
  /** Undefined for a raw command, which has bytes instead. */
  readonly parameters?: DeclaredCommandFragment['parameters'];
}

/** The command of bytes, which every device takes. */
export const rawChoice: CommandChoice = { label: 'raw', name: 'raw' };

/** Returns the choice of a label; the raw command if there is none. */
export const chosenIn = (choices: readonly CommandChoice[], label: string): CommandChoice =>
  choices.find((each) => each.label === label) ?? rawChoice;

/** The fields of a command: which one, its parameters or bytes, and when it expires. The raw command comes last. */
export function CommandFields({ choices }: { choices: readonly CommandChoice[] }) {
  const [label, setLabel] = useState((choices[0] ?? rawChoice).label);
  const { parameters } = chosenIn(choices, label);
  return (
    <>
      <Field label="Command">
        <select name="name" value={label} onChange={({ currentTarget }) => setLabel(currentTarget.value)}>
          {[...choices, rawChoice].map((each) => (
            <option key={each.label}>{each.label}</option>
          ))}
        </select>
      </Field>
      {parameters === undefined ? (
        <>
          <Field label="Payload" hint="Bytes in hexadecimal.">
            <input name="payload" required pattern="([0-9a-fA-F]{2})+" autocomplete="off" />
          </Field>
          <Field label="Stream" hint="LoRaWAN: port.">
            <input name="streamId" type="number" min={0} max={255} required defaultValue="1" />
          </Field>
        </>
      ) : (
        parameters.map((parameter) => <TypedField key={parameter.name} of={parameter} prefix="parameters." />)
      )}
      <Field label="Expires in" hint="Hours. A device that is off until then does not get it.">
        <input name="hours" type="number" min={0.01} max={720} step="any" required defaultValue="24" />
      </Field>
    </>
  );
}

/** Returns the label of the chosen command of a form. */
export const labelIn = (form: FormData): string => textOf(form, 'name');

/** Reads the command of a form, as the arguments of the mutations that send it. */
export const commandIn = (form: FormData, { name, parameters }: CommandChoice) => ({
  name,
  expiresAt: Date.now() / 1000 + Number(textOf(form, 'hours')) * 3600,
  ...(parameters === undefined
    ? { payload: textOf(form, 'payload'), streamId: Number(textOf(form, 'streamId')) }
    : {
        parameters: Object.fromEntries(parameters.map((each) => [each.name, typedValue(form, each, 'parameters.')])),
      }),
});
