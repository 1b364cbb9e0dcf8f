import { useState } from 'preact/hooks';
import type { DerivedVariableInput, VariableType } from '../../api/documents.js';
import { FormulaPreview } from './formula-preview.js';
import { types } from './product-fields.js';
import type { Product } from './settings.js';

/** A derived variable in the form. Each has its own key, so that its text stays when another is removed. */
export interface DerivedRow extends Record<'name' | 'unit' | 'formula', string> {
  readonly key: number;
  readonly type: VariableType;
}

let rowsMade = 0;
const row = (of?: Product['settings']['derived'][number]): DerivedRow => ({
  key: ++rowsMade,
  name: of?.name ?? '',
  type: of?.type ?? 'FLOAT32',
  unit: of?.unit ?? '',
  formula: of?.formula ?? '',
});

/** The form fields of derived variables, with a preview of what they give. */
export function DerivedFields({ product }: { product: Product }) {
  const [rows, setRows] = useState(() => {
    const { derived } = product.settings;
    return derived.length === 0 ? [row()] : derived.map((one) => row(one));
  });
  const change = (key: number, changes: Partial<DerivedRow>) =>
    setRows(rows.map((one) => (one.key === key ? { ...one, ...changes } : one)));
  return (
    <>
      <p class="quiet hint">
        A formula reads variables of the same record and attributes of the device, such as{' '}
        <code>(temperature + device.offset) * 1.8 + 32</code>. Names that are not identifiers stand in backquotes.
      </p>
      {rows.map(({ key, name, type, unit, formula }, index) => (
        <div class="variable" role="group" aria-label={`Derived variable ${index + 1}`} key={key}>
          <input
            name="derived-name"
            aria-label={`Name of derived variable ${index + 1}`}
            placeholder="fahrenheit"
            maxLength={100}
            value={name}
            onInput={({ currentTarget }) => change(key, { name: currentTarget.value })}
          />
          <select
            name="derived-type"
            aria-label={`Type of derived variable ${index + 1}`}
            value={type}
            onChange={({ currentTarget }) => change(key, { type: currentTarget.value as VariableType })}
          >
            {types.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
          <input
            name="derived-unit"
            aria-label={`Unit of derived variable ${index + 1}`}
            placeholder="°F"
            maxLength={50}
            value={unit}
            onInput={({ currentTarget }) => change(key, { unit: currentTarget.value })}
          />
          <button
            type="button"
            aria-label={`Remove derived variable ${index + 1}`}
            onClick={() => setRows(rows.filter((other) => other.key !== key))}
          >
            ×
          </button>
          <textarea
            class="formula"
            name="derived-formula"
            aria-label={`Formula of derived variable ${index + 1}`}
            placeholder="temperature * 1.8 + 32"
            rows={2}
            maxLength={1000}
            spellcheck={false}
            value={formula}
            onInput={({ currentTarget }) => change(key, { formula: currentTarget.value })}
          />
        </div>
      ))}
      <button type="button" class="add" onClick={() => setRows([...rows, row()])}>
        Add a derived variable
      </button>
      <FormulaPreview productId={product.id} derived={written(rows)} />
    </>
  );
}

/** Returns the variables that have a name and a formula. */
const written = (
  rows: readonly (Record<'name' | 'unit' | 'formula', string> & { type: VariableType })[],
): DerivedVariableInput[] =>
  rows
    .map(({ name, type, unit, formula }) => ({ name: name.trim(), type, unit: unit.trim() || null, formula }))
    .filter(({ name, formula }) => name !== '' && formula.trim() !== '');

/** Reads derived variables from the form. Rows without a name or formula are ignored. */
export const derivedIn = (form: FormData): DerivedVariableInput[] => {
  const [names = [], kinds = [], units = [], formulas = []] = ['name', 'type', 'unit', 'formula'].map((part) =>
    form.getAll(`derived-${part}`).map(String),
  );
  return written(
    names.map((name, index) => ({
      name,
      type: kinds[index] as VariableType,
      unit: units[index] ?? '',
      formula: formulas[index] ?? '',
    })),
  );
};
