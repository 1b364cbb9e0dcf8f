import { useState } from 'preact/hooks';
import { Field } from '../../../components/dialog.js';
import { type Dashboard, type Panel, rangeNames, type Variable } from '../document.js';
import { type Application, optionsOf } from '../facts.js';
import { Select } from './kind-fields.js';
import { Modal } from './modal.js';

const mostVariables = 8;
const kinds = { tag: 'Tag', device: 'Device', product: 'Product' } as const;
/** Changes the range that a dashboard opens with, and the variables that its readers choose. */
export function SettingsDialog({
  application,
  dashboard,
  change,
  close,
}: {
  application: Application;
  dashboard: Dashboard;
  change: (dashboard: Dashboard) => void;
  close: () => void;
}) {
  const [range, setRange] = useState(dashboard.range);
  const [variables, setVariables] = useState(dashboard.variables);
  const names = variables.map(({ name }) => name);
  const fault =
    names.find((name) => !/^[A-Za-z][A-Za-z0-9_-]{0,31}$/.test(name)) !== undefined
      ? 'A name begins with a letter and has letters, digits, “_” and “-”.'
      : new Set(names).size < names.length
        ? 'Two variables have the same name.'
        : undefined;
  return (
    <Modal title="Range and variables" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (fault !== undefined) return;
          change({ ...dashboard, range, variables, panels: dashboard.panels.map((panel) => freed(panel, variables)) });
          close();
        }}
      >
        <Select label="Opens with" options={rangeNames} value={range} choose={setRange} />
        {variables.map((variable, index) => (
          <VariableFields
            key={index}
            application={application}
            number={index + 1}
            variable={variable}
            change={(next) => setVariables(variables.map((one, place) => (place === index ? next : one)))}
            remove={() => setVariables(variables.filter((_, place) => place !== index))}
          />
        ))}
        {variables.length === 0 && (
          <p class="quiet">
            A variable lets readers choose a device, a tag or a product above the panels. Panels that use it show that
            choice.
          </p>
        )}
        {variables.length < mostVariables && (
          <button
            type="button"
            class="add"
            onClick={() => setVariables([...variables, { name: freeName(names), kind: 'tag' }])}
          >
            Add a variable
          </button>
        )}
        <div class="actions end">
          {fault !== undefined && (
            <span class="fault" role="status">
              {fault}
            </span>
          )}
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={fault !== undefined}>
            Apply
          </button>
        </div>
      </form>
    </Modal>
  );
}

const VariableFields = ({
  application,
  number,
  variable,
  change,
  remove,
}: {
  application: Application;
  number: number;
  variable: Variable;
  change: (variable: Variable) => void;
  remove: () => void;
}) => (
  <fieldset class="source">
    <legend>
      Variable {number}
      <button type="button" class="plain" aria-label={`Remove variable ${number}`} onClick={remove}>
        ×
      </button>
    </legend>
    <div class="beside three">
      <Field label="Name">
        <input
          required
          maxLength={32}
          value={variable.name}
          onInput={({ currentTarget }) => change({ ...variable, name: currentTarget.value })}
        />
      </Field>
      <Select
        label="Chooses a"
        options={kinds}
        value={variable.kind}
        choose={(kind) => change({ name: variable.name, kind })}
      />
      <Field label="At first">
        <select
          value={variable.default ?? ''}
          onChange={({ currentTarget: { value } }) => {
            const { default: _usual, ...rest } = variable;
            change(value === '' ? rest : { ...rest, default: value });
          }}
        >
          <option value="">All</option>
          {optionsOf(application, variable.kind).map(({ value, title }) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </Field>
    </div>
  </fieldset>
);

const freeName = (names: readonly string[]): string => {
  for (let number = names.length + 1; ; number++) {
    const name = number === 1 ? 'site' : `site${number}`;
    if (!names.includes(name)) return name;
  }
};

/** Returns a panel that names no variable which is gone: it shows all devices instead. */
const freed = (panel: Panel, variables: readonly Variable[]): Panel => {
  const known = new Map(variables.map(({ name, kind }) => [`$${name}`, kind]));
  const isGone = (text: string, kind: Variable['kind']) => text.startsWith('$') && known.get(text) !== kind;
  const free = <Of extends object>(of: Of): Of => {
    const { devices, tag, product } = of as { devices?: string[]; tag?: string; product?: string };
    const copy = { ...of } as Record<string, unknown>;
    if (devices?.some((one) => isGone(one, 'device'))) delete copy['devices'];
    if (tag !== undefined && isGone(tag, 'tag')) delete copy['tag'];
    if (product !== undefined && isGone(product, 'product')) delete copy['product'];
    return copy as Of;
  };
  if ('sources' in panel) return { ...panel, sources: panel.sources.map(free) } as Panel;
  if ('source' in panel) return { ...panel, source: free(panel.source) } as Panel;
  return free(panel);
};
