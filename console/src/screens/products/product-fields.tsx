import { useState } from 'preact/hooks';
import type { ProductQuery, StreamType, VariableInput, VariableType } from '../../api/documents.js';
import { textOf } from '../../browser/form.js';
import { Field } from '../../components/dialog.js';

type Product = NonNullable<ProductQuery['product']>;

/** Types of variables. */
export const types: readonly VariableType[] = ['FLOAT32', 'INT16', 'INT64', 'UINT8', 'UINT16', 'UINT32', 'BOOL', 'TXT'];

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
          A mapping says where a frame carries the variable: its stream, its layout and its number there. Frames name
          the streams 0 to 255, and in BIN the numbers 1 to 32; a mapping beyond these is kept and never decodes. None
          are needed where records come decoded.
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
            <button
              type="button"
              aria-label={`Remove variable ${index + 1}`}
              onClick={() => setRows(rows.filter((other) => other.key !== key))}
            >
              ×
            </button>
            <Mappings of={mappings} variable={index + 1} />
          </div>
        ))}
        <button type="button" class="add" onClick={() => setRows([...rows, row()])}>
          Add a variable
        </button>
      </fieldset>
    </>
  );
}

const layouts: readonly StreamType[] = ['BIN', 'RAW', 'TXT'];

interface Mapping {
  readonly key: number;
  readonly streamId: string;
  readonly streamType: StreamType;
  readonly varNumber: string;
}

/** The mappings of a variable, each in three fields. The form reads them as one text. */
function Mappings({ of, variable }: { of: readonly Mapping[]; variable: number }) {
  const [mappings, setMappings] = useState(of);
  const change = (key: number, changes: Partial<Mapping>) =>
    setMappings(mappings.map((one) => (one.key === key ? { ...one, ...changes } : one)));
  return (
    <div class="mappings">
      <input type="hidden" name="variable-mappings" value={mappingsText(mappings)} />
      {mappings.map(({ key, streamId, streamType, varNumber }, index) => {
        const name = `mapping ${index + 1} of variable ${variable}`;
        return (
          <div class="mapping" role="group" aria-label={`Mapping ${index + 1} of variable ${variable}`} key={key}>
            <input
              type="number"
              min={0}
              required
              aria-label={`Stream of ${name}`}
              placeholder="Stream"
              value={streamId}
              onInput={({ currentTarget: { value } }) => change(key, { streamId: value })}
            />
            <select
              aria-label={`Layout of ${name}`}
              value={streamType}
              onChange={({ currentTarget: { value } }) => change(key, { streamType: value as StreamType })}
            >
              {layouts.map((layout) => (
                <option key={layout} value={layout}>
                  {layout}
                </option>
              ))}
            </select>
            <input
              type="number"
              min={0}
              required
              aria-label={`Number of ${name}`}
              placeholder="Number"
              value={varNumber}
              onInput={({ currentTarget: { value } }) => change(key, { varNumber: value })}
            />
            <button
              type="button"
              aria-label={`Remove ${name}`}
              onClick={() => setMappings(mappings.filter((other) => other.key !== key))}
            >
              ×
            </button>
          </div>
        );
      })}
      <button
        type="button"
        class="plain"
        aria-label={`Add a mapping to variable ${variable}`}
        onClick={() => setMappings([...mappings, mapping()])}
      >
        Add a mapping
      </button>
    </div>
  );
}

let rowsMade = 0;

const mapping = (of?: NonNullable<Product['variables'][number]['mappings']>[number]): Mapping => ({
  key: ++rowsMade,
  streamId: of === undefined ? '' : `${of.streamId}`,
  streamType: of?.streamType ?? 'BIN',
  varNumber: of === undefined ? '' : `${of.varNumber}`,
});

/** Creates a row of the form. Each row has its own key, so that its text stays when another row is removed. */
const row = (variable?: Product['variables'][number]) => ({
  key: ++rowsMade,
  name: variable?.name ?? '',
  type: variable?.type ?? 'FLOAT32',
  unit: variable?.unit ?? '',
  mappings: (variable?.mappings ?? []).map((one) => mapping(one)),
});

/** Formats mappings in short: `2 BIN 1, 3 TXT 2`. */
export const mappingsText = (
  mappings: readonly { streamId: number | string; streamType: StreamType; varNumber: number | string }[] | null,
): string =>
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
