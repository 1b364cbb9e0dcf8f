import { useState } from 'preact/hooks';
import type { VariableType } from '../../api/documents.js';
import { textOf } from '../../browser/form.js';
import { Action } from '../../components/action.js';
import { Field } from '../../components/dialog.js';
import { type Product, putSettings, settingsOf, type VariableSettings } from './settings.js';

/** A button that opens the settings of one variable, declared or derived. */
export const EditSettings = ({
  product,
  variable: { name, type },
  reload,
}: {
  product: Product;
  variable: { name: string; type: VariableType };
  reload: () => void;
}) => (
  <Action
    label="Settings"
    title={`Settings of ${name}`}
    action="Save"
    done={`The settings of ${name} were saved.`}
    undo
    submit={async (form) => {
      const others = product.settings.variables.filter((each) => each.name !== name);
      await putSettings(product, { variables: [...others, ...settingsIn(form, name)] });
      reload();
    }}
  >
    <SettingsFields settings={settingsOf(product, name)} type={type} />
  </Action>
);

/** The form fields of a variable's settings. */
function SettingsFields({ settings, type }: { settings: VariableSettings | undefined; type: VariableType }) {
  const [counts, setCounts] = useState(settings?.counter != null);
  const isNumber = type !== 'BOOL' && type !== 'TXT';
  return (
    <>
      {isNumber && (
        <Field label="Decimals" hint="Decimal places to show. Empty: as many as the values need.">
          <input name="decimals" type="number" min={0} max={15} step={1} defaultValue={`${settings?.decimals ?? ''}`} />
        </Field>
      )}
      {isNumber && (
        <label class="check">
          <input
            type="checkbox"
            name="counter"
            checked={counts}
            onChange={({ currentTarget }) => setCounts(currentTarget.checked)}
          />{' '}
          Counts up, such as the energy of a meter
        </label>
      )}
      {isNumber && counts && (
        <div class="beside">
          <Field label="Rolls over at" hint="Value at which it begins again at zero. Empty: never.">
            <input
              name="rollsOverAt"
              type="number"
              min={1}
              step="any"
              defaultValue={`${settings?.counter?.rollsOverAt ?? ''}`}
            />
          </Field>
          <Field label="Noise" hint="Largest step back that does not count as a reset.">
            <input name="jitter" type="number" min={0} step="any" defaultValue={`${settings?.counter?.jitter ?? 0}`} />
          </Field>
        </div>
      )}
      <Words of={settings?.words ?? []} isBoolean={type === 'BOOL'} />
    </>
  );
}

let rowsMade = 0;
const row = (value = '', word = '') => ({ key: ++rowsMade, value, word });

/** The words of values, a row for each. Rows without a word are ignored. */
function Words({ of, isBoolean }: { of: VariableSettings['words']; isBoolean: boolean }) {
  const [rows, setRows] = useState(() => {
    const known = of.map(({ value, word }) => row(value, word));
    const missing = ['true', 'false'].filter((value) => isBoolean && of.every((one) => one.value !== value));
    return [...known, ...missing.map((value) => row(value))];
  });
  const change = (key: number, changes: { value?: string; word?: string }) =>
    setRows(rows.map((one) => (one.key === key ? { ...one, ...changes } : one)));
  return (
    <fieldset>
      <legend>Words for values</legend>
      {rows.map(({ key, value, word }, index) => (
        <div class="word" key={key}>
          <input
            name="value"
            aria-label={`Value ${index + 1}`}
            placeholder="3"
            maxLength={100}
            value={value}
            readOnly={isBoolean}
            onInput={({ currentTarget }) => change(key, { value: currentTarget.value })}
          />
          <input
            name="word"
            aria-label={`Word for ${value || `value ${index + 1}`}`}
            placeholder={value === 'true' ? 'open' : value === 'false' ? 'closed' : 'Word'}
            maxLength={100}
            value={word}
            onInput={({ currentTarget }) => change(key, { word: currentTarget.value })}
          />
          {!isBoolean && (
            <button
              type="button"
              aria-label={`Remove the word for ${value || `value ${index + 1}`}`}
              onClick={() => setRows(rows.filter((other) => other.key !== key))}
            >
              ×
            </button>
          )}
        </div>
      ))}
      {!isBoolean && (
        <button type="button" class="add" onClick={() => setRows([...rows, row()])}>
          Add a word
        </button>
      )}
    </fieldset>
  );
}

/** Reads the settings of a variable from a form; none if all are empty. */
const settingsIn = (form: FormData, name: string): VariableSettings[] => {
  const numberIn = (field: string) => (textOf(form, field) === '' ? null : Number(textOf(form, field)));
  const values = form.getAll('value').map(String);
  const words = form
    .getAll('word')
    .map(String)
    .map((word, index) => ({ value: values[index] ?? '', word: word.trim() }))
    .filter(({ word }) => word !== '');
  const counter = form.has('counter')
    ? { rollsOverAt: numberIn('rollsOverAt'), jitter: numberIn('jitter') ?? 0 }
    : null;
  const decimals = numberIn('decimals');
  return counter === null && decimals === null && words.length === 0 ? [] : [{ name, counter, words, decimals }];
};
