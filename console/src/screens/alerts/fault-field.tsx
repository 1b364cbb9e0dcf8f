import type { ComponentChildren } from 'preact';
import { type Unit, units } from '../../format/time.js';
import type { DurationInput, Fault } from './draft.js';

/** Returns the faults of a field and of the fields below it. */
export const faultsAt = (faults: readonly Fault[], path: string): readonly Fault[] =>
  faults.filter((fault) => fault.path === path || fault.path.startsWith(`${path}.`));

/** Shows the faults of a field. */
export const Faults = ({ of }: { of: readonly Fault[] }) =>
  of.length === 0 ? null : (
    <span class="fault">
      <span aria-hidden="true">■</span> {of.map(({ message }) => message).join('; ')}
    </span>
  );

/** A labelled field with its faults. */
export const FaultField = ({
  label,
  hint,
  path,
  faults,
  children,
}: {
  label: string;
  hint?: string;
  path: string;
  faults: readonly Fault[];
  children: ComponentChildren;
}) => (
  <label class="field">
    <span class="field-label">{label}</span>
    {children}
    <Faults of={faultsAt(faults, path)} />
    {hint !== undefined && <span class="quiet hint">{hint}</span>}
  </label>
);

/** A duration: a number and its unit. */
export const SpanField = ({
  label,
  hint,
  path,
  faults,
  value,
  placeholder,
  required = false,
  change,
}: {
  label: string;
  hint: string;
  path: string;
  faults: readonly Fault[];
  value: DurationInput;
  placeholder?: string;
  required?: boolean;
  change: (value: DurationInput) => void;
}) => {
  const wrong = faultsAt(faults, path);
  return (
    <div class="field">
      <span class="field-label" aria-hidden="true">
        {label}
      </span>
      <span class="span">
        <input
          type="number"
          min={0}
          step="any"
          aria-label={label}
          aria-invalid={wrong.length > 0}
          {...(wrong.length > 0 && { 'aria-describedby': `fault-${path}` })}
          placeholder={placeholder}
          required={required}
          value={value.amount}
          onInput={({ currentTarget }) => change({ ...value, amount: currentTarget.value })}
        />
        <select
          aria-label={`Unit of ${label.toLowerCase()}`}
          value={value.unit}
          onChange={({ currentTarget }) => change({ ...value, unit: currentTarget.value as Unit })}
        >
          {(Object.keys(units) as Unit[]).toReversed().map((unit) => (
            <option key={unit} value={unit}>
              {unit}
            </option>
          ))}
        </select>
      </span>
      <span id={`fault-${path}`}>
        <Faults of={wrong} />
      </span>
      <span class="quiet hint">{hint}</span>
    </div>
  );
};
