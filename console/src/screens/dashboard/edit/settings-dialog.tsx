import { useState } from 'preact/hooks';
import { Field } from '../../../components/dialog.js';
import { type Choice, choiceOf, type Dashboard, rangeNames, type Variable, withChoices } from '../document.js';
import { type Application, optionsOf } from '../facts.js';
import { Modal } from './modal.js';
import { Select } from './select.js';

const mostVariables = 8;
const kinds = { tag: 'Tag', device: 'Device', product: 'Product', site: 'Site' } as const;

/** A variable in the dialog. */
interface Row {
  /** Name by which the panels know the variable; undefined for a variable that was added in this dialog. */
  readonly was: string | undefined;
  readonly variable: Variable;
}

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
  const [rows, setRows] = useState<readonly Row[]>(() =>
    dashboard.variables.map((variable) => ({ was: variable.name, variable })),
  );
  const variables = rows.map(({ variable }) => variable);
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
          const panels = dashboard.panels.map((panel) => withChoices(panel, (choice) => following(choice, rows)));
          change({ ...dashboard, range, variables, panels });
          close();
        }}
      >
        <Select label="Opens with" options={rangeNames} value={range} choose={setRange} />
        {rows.map(({ was, variable }, index) => (
          <VariableFields
            key={index}
            application={application}
            number={index + 1}
            variable={variable}
            change={(next) => setRows(rows.with(index, { was, variable: next }))}
            remove={() => setRows(rows.toSpliced(index, 1))}
          />
        ))}
        {rows.length === 0 && (
          <p class="quiet">
            A variable lets readers choose a device, a tag, a product or a site above the panels. Panels that use it
            show that choice.
          </p>
        )}
        {rows.length < mostVariables && (
          <button
            type="button"
            class="add"
            onClick={() => setRows([...rows, { was: undefined, variable: { name: freeName(names), kind: 'tag' } }])}
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

/** Returns a choice with the new names of its variables. A variable that was removed becomes all devices. */
const following = ({ devices, tag, product, site }: Choice, rows: readonly Row[]): Choice => {
  // A row that was added may have the former name of another, which then wins.
  const added = rows.toSorted((a, b) => Number(a.was !== undefined) - Number(b.was !== undefined));
  const known = new Map(added.map(({ was, variable }) => [`$${was ?? variable.name}`, variable]));
  const follow = (text: string | undefined, kind: Variable['kind']) => {
    if (!text?.startsWith('$')) return text;
    const variable = known.get(text);
    return variable?.kind === kind ? `$${variable.name}` : undefined;
  };
  const ids = devices?.flatMap((id) => follow(id, 'device') ?? []);
  return choiceOf({
    devices: ids?.length === devices?.length ? ids : undefined,
    tag: follow(tag, 'tag'),
    product: follow(product, 'product'),
    site: follow(site, 'site'),
  });
};
