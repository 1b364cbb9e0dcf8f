import { useState } from 'preact/hooks';
import type { ProductQuery, StreamType, VariableInput, VariableType } from '../../api/documents.js';
import { textOf } from '../../browser/form.js';
import { Field } from '../../components/dialog.js';

type Product = NonNullable<ProductQuery['product']>;

const types: readonly VariableType[] = ['FLOAT32', 'INT16', 'INT64', 'UINT8', 'UINT16', 'UINT32', 'BOOL', 'TXT'];

/** The form fields of a product: its name, its version and a row for each variable. */
export function ProductFields({ product }: { product?: Product }) {
  const [rows, setRows] = useState(() =>
    product === undefined ? [row()] : product.variables.map((variable) => row(variable)),
  );
  return (
    <>
      <div class="beside">
        <Field label="Name">
          <input name="name" required maxLength={200} defaultValue={product?.name ?? ''} />
        </Field>
        <Field label="Version">
          <input name="version" required maxLength={100} defaultValue={product?.version ?? '1.0'} />
        </Field>
      </div>
      <fieldset>
        <legend>Variables</legend>
        <p class="quiet hint">
          Mappings say where a frame carries the variable: stream, layout and number, such as <code>2 BIN 1</code>;
          several are joined by commas. Frames name the streams 0 to 255, and in BIN the numbers 1 to 32; a mapping
          beyond these is kept and never decodes. None are needed where records come decoded.
        </p>
        {rows.map(({ key, name, type, unit, mappings }, index) => (
          <div class="variable" key={key}>
            <input
              name="variable-name"
              aria-label={`Name of variable ${index + 1}`}
              placeholder="temperature"
              defaultValue={name}
            />
            <select name="variable-type" aria-label={`Type of variable ${index + 1}`} defaultValue={type}>
              {types.map((one) => (
                <option key={one} value={one} selected={one === type}>
                  {one}
                </option>
              ))}
            </select>
            <input
              name="variable-unit"
              aria-label={`Unit of variable ${index + 1}`}
              placeholder="°C"
              defaultValue={unit}
            />
            <input
              name="variable-mappings"
              aria-label={`Mappings of variable ${index + 1}`}
              placeholder="2 BIN 1"
              pattern={mappingsPattern}
              title="Stream, layout (BIN, RAW or TXT) and number, such as 2 BIN 1; several joined by commas."
              defaultValue={mappings}
            />
            <button
              type="button"
              aria-label={`Leave out variable ${index + 1}`}
              onClick={() => setRows(rows.filter((other) => other.key !== key))}
            >
              ×
            </button>
          </div>
        ))}
        <button type="button" onClick={() => setRows([...rows, row()])}>
          Add a variable
        </button>
      </fieldset>
    </>
  );
}

const mapping = '\\s*\\d+\\s+(BIN|RAW|TXT)\\s+\\d+\\s*';
const mappingsPattern = `(${mapping}(,${mapping})*)?`;

let rowsMade = 0;

/** Creates a row of the form. Each row has its own key, so that its text stays when another row is removed. */
const row = (variable?: Product['variables'][number]) => ({
  key: ++rowsMade,
  name: variable?.name ?? '',
  type: variable?.type ?? 'FLOAT32',
  unit: variable?.unit ?? '',
  mappings: mappingsText(variable?.mappings),
});

/** Formats mappings as the form does: `2 BIN 1, 3 TXT 2`. */
export const mappingsText = (mappings: Product['variables'][number]['mappings'] | undefined): string =>
  (mappings ?? []).map(({ streamId, streamType, varNumber }) => `${streamId} ${streamType} ${varNumber}`).join(', ');

const mappingsOf = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim().split(/\s+/))
    .filter(([first]) => first !== '')
    .map(([streamId, streamType, varNumber]) => ({
      streamId: Number(streamId),
      streamType: streamType as StreamType,
      varNumber: Number(varNumber),
    }));

/** Reads the product from a form. Rows without a name are ignored. */
export const productOf = (form: FormData): { name: string; version: string; variables: VariableInput[] } => {
  const columns = ['name', 'type', 'unit', 'mappings'].map((part) => form.getAll(`variable-${part}`).map(String));
  const [names = [], kinds = [], units = [], mappings = []] = columns;
  const variables = names.map((name, index) => ({
    name: name.trim(),
    type: kinds[index] as VariableType,
    unit: units[index]?.trim() || null,
    mappings: mappingsOf(mappings[index] ?? ''),
  }));
  return {
    name: textOf(form, 'name'),
    version: textOf(form, 'version'),
    variables: variables.filter(({ name }) => name !== ''),
  };
};
