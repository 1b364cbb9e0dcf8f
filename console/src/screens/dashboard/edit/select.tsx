import { Field } from '../../../components/dialog.js';

/** A field that chooses one of a few words. */
export const Select = <Value extends string>({
  label,
  options,
  value,
  choose,
}: {
  label: string;
  options: Readonly<Record<Value, string>>;
  value: Value;
  choose: (value: Value) => void;
}) => (
  <Field label={label}>
    <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value as Value)}>
      {(Object.entries(options) as [Value, string][]).map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  </Field>
);
