import { Choices } from '../../../components/choices.js';
import { Field } from '../../../components/dialog.js';
import { type Choice, choiceOf, type Dashboard } from '../document.js';
import { type Application, optionsOf } from '../facts.js';

const mostDevices = 20;

/** Words for devices that have something in common. */
const words = {
  tag: { by: 'With a tag', one: 'Tag' },
  product: { by: 'Of a product', one: 'Product' },
  site: { by: 'At a site', one: 'Site' },
} as const;

/** Links a device of another application, and calls `linked` with it. Undefined when the user may not link devices. */
export type Link = ((linked: (deviceId: string) => void) => void) | undefined;

/** Chooses devices: all of the application, some, those with a tag, of a product, at a site, or those of a variable. */
export function ChoiceFields({
  application,
  dashboard,
  choice,
  change,
  link,
}: {
  application: Application;
  dashboard: Dashboard;
  choice: Choice;
  change: (choice: Choice) => void;
  link: Link;
}) {
  const { devices, ...other } = choiceOf(choice);
  const [kind, text = ''] = Object.entries(other)[0] ?? [];
  const named = [...(devices ?? []), text].find((one) => one.startsWith('$'));
  const by = named ?? (devices !== undefined ? 'devices' : (kind ?? 'all'));
  const groups = (['tag', 'product', 'site'] as const).map((of) => ({ of, options: optionsOf(application, of) }));
  const onBy = (value: string) => {
    const variable = dashboard.variables.find(({ name }) => `$${name}` === value);
    if (variable?.kind === 'device') change({ devices: [value] });
    else if (variable !== undefined) change({ [variable.kind]: value });
    else if (value === 'devices') change({ devices: application.devices.items.slice(0, 1).map(({ id }) => id) });
    else {
      const group = groups.find(({ of }) => of === value);
      change(group === undefined ? {} : { [group.of]: group.options[0]?.value ?? '' });
    }
  };
  return (
    <>
      <div class="beside">
        <Field label="Devices">
          <select value={by} onChange={({ currentTarget }) => onBy(currentTarget.value)}>
            <option value="all">All of the application</option>
            {application.devices.items.length > 0 && <option value="devices">Some</option>}
            {groups
              .filter(({ of, options }) => options.length > 0 || of === by)
              .map(({ of }) => (
                <option key={of} value={of}>
                  {words[of].by}
                </option>
              ))}
            {dashboard.variables.map(({ name, kind }) => (
              <option key={name} value={`$${name}`}>
                By the variable {name} ({kind})
              </option>
            ))}
          </select>
        </Field>
        {by === 'devices' && (
          <div class="field">
            <span class="field-label">Which</span>
            <Choices
              label="Devices"
              none="none"
              options={optionsOf(application, 'device')}
              chosen={devices ?? []}
              choose={(ids) => change(ids.length === 0 ? {} : { devices: ids.slice(0, mostDevices) })}
            />
          </div>
        )}
        {groups
          .filter(({ of }) => of === by)
          .map(({ of, options }) => (
            <Pick
              key={of}
              label={words[of].one}
              options={options}
              value={text}
              choose={(value) => change({ [of]: value })}
            />
          ))}
      </div>
      {link !== undefined && (by === 'all' || by === 'devices') && (devices?.length ?? 0) < mostDevices && (
        <button
          type="button"
          class="add"
          onClick={() => link((id) => devices !== undefined && change({ devices: [...new Set([...devices, id])] }))}
        >
          Add a device of another application
        </button>
      )}
    </>
  );
}

const Pick = ({
  label,
  options,
  value,
  choose,
}: {
  label: string;
  options: readonly { value: string; title: string }[];
  value: string;
  choose: (value: string) => void;
}) => (
  <Field label={label}>
    <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {!options.some((option) => option.value === value) && <option value={value}>{value} (gone)</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.title}
        </option>
      ))}
    </select>
  </Field>
);
