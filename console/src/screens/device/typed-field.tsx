import type { VariableType } from '../../api/documents.js';
import { textOf } from '../../browser/form.js';
import { Field } from '../../components/dialog.js';
import { plain } from './commanded.js';

/** A name with the type of its values. */
export interface Typed {
  readonly name: string;
  readonly type: VariableType;
  readonly unit: string | null;
}

/** A field for a value of a type. `prefix` comes before its name in the form. */
export const TypedField = ({
  of: { name, type, unit },
  prefix = '',
  value,
}: {
  of: Typed;
  prefix?: string;
  value?: unknown;
}) => (
  <Field label={unit ? `${name} (${unit})` : name}>
    {type === 'BOOL' ? (
      <select name={`${prefix}${name}`} defaultValue={value === false ? 'false' : 'true'}>
        <option>true</option>
        <option>false</option>
      </select>
    ) : (
      <NumberOrText name={`${prefix}${name}`} type={type} value={value == null ? '' : plain(value)} />
    )}
  </Field>
);

const NumberOrText = ({ name, type, value }: { name: string; type: VariableType; value: string }) =>
  // A field for numbers loses digits of large whole numbers.
  type === 'TXT' || type === 'INT64' ? (
    <input name={name} required autocomplete="off" defaultValue={value} />
  ) : (
    <input name={name} type="number" step={type === 'FLOAT32' ? 'any' : 1} required defaultValue={value} />
  );

/** Reads a value of a type from a form. Whole numbers that a double cannot hold stay text. */
export const typedValue = (form: FormData, { name, type }: Typed, prefix = ''): unknown => {
  const text = textOf(form, `${prefix}${name}`);
  if (type === 'BOOL') return text === 'true';
  if (type === 'TXT' || (type === 'INT64' && !Number.isSafeInteger(Number(text)))) return text;
  return Number(text);
};
