import { Choices } from '../../../components/choices.js';
import { Field } from '../../../components/dialog.js';
import type { Choice, Dashboard } from '../document.js';
import { type Application, optionsOf } from '../facts.js';

const mostDevices = 20;

/** Links a device of another application, and calls `linked` with it. Undefined when the user may not link devices. */
export type Link = ((linked: (deviceId: string) => void) => void) | undefined;

/** Chooses devices: all of the application, some, those with a tag or of a product, or those of a variable. */
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
  const { devices, tag, product } = choice;
  const named = [...(devices ?? []), tag ?? '', product ?? ''].find((one) => one.startsWith('$'));
  const by =
    named ??
    (devices !== undefined ? 'devices' : tag !== undefined ? 'tag' : product !== undefined ? 'product' : 'all');
  const [tags, products] = [optionsOf(application, 'tag'), optionsOf(application, 'product')];
  const onBy = (value: string) => {
    const variable = dashboard.variables.find(({ name }) => `$${name}` === value);
    if (variable?.kind === 'device') change({ devices: [value] });
    else if (variable !== undefined) change({ [variable.kind]: value });
    else if (value === 'devices') change({ devices: application.devices.items.slice(0, 1).map(({ id }) => id) });
    else if (value === 'tag') change({ tag: tags[0]?.value ?? '' });
    else if (value === 'product') change({ product: products[0]?.value ?? '' });
    else change({});
  };
  return (
    <>
      <div class="beside">
        <Field label="Devices">
          <select value={by} onChange={({ currentTarget }) => onBy(currentTarget.value)}>
            <option value="all">All of the application</option>
            {application.devices.items.length > 0 && <option value="devices">Some</option>}
            {tags.length > 0 && <option value="tag">With a tag</option>}
            {products.length > 0 && <option value="product">Of a product</option>}
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
        {by === 'tag' && <Pick label="Tag" options={tags} value={tag!} choose={(value) => change({ tag: value })} />}
        {by === 'product' && (
          <Pick label="Product" options={products} value={product!} choose={(value) => change({ product: value })} />
        )}
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
