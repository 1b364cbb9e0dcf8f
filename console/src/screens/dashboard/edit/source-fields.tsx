import { Field } from '../../../components/dialog.js';
import { type Dashboard, type Panel, type Source, variableName, withChoice } from '../document.js';
import { type Application, factsOf } from '../facts.js';
import { ChoiceFields, type Link } from './choice-fields.js';
import { variablesFor } from './kinds.js';

interface Given {
  readonly application: Application;
  readonly dashboard: Dashboard;
  readonly kind: Panel['kind'];
  readonly link: Link;
}

/** The fields of one source: its variable, its devices, and how it is named. */
export function SourceFields({
  application,
  dashboard,
  kind,
  link,
  source,
  change,
}: Given & { source: Source; change: (source: Source) => void }) {
  const variables = variablesFor(application, kind);
  const fact = factsOf(application).get(variableName(source.variable));
  const text = (field: 'label' | 'unit', value: string) => {
    const next = { ...source, [field]: value };
    if (value === '') delete next[field];
    change(next);
  };
  return (
    <>
      <Field label="Variable">
        <select
          value={source.variable}
          onChange={({ currentTarget: { value } }) => change({ ...source, variable: value })}
        >
          {!variables.includes(source.variable) && (
            <option value={source.variable}>{variableName(source.variable)}</option>
          )}
          {variables.map((variable) => (
            <option key={variable} value={variable}>
              {variableName(variable)}
            </option>
          ))}
        </select>
      </Field>
      <ChoiceFields
        application={application}
        dashboard={dashboard}
        choice={source}
        link={link}
        change={(choice) => change(withChoice(source, choice))}
      />
      <details class="further">
        <summary>Name and unit</summary>
        <div class="beside">
          <Field label="Name">
            <input
              maxLength={200}
              value={source.label ?? ''}
              placeholder={variableName(source.variable)}
              onInput={({ currentTarget }) => text('label', currentTarget.value)}
            />
          </Field>
          <Field label="Unit">
            <input
              maxLength={200}
              value={source.unit ?? ''}
              placeholder={fact?.unit ?? ''}
              onInput={({ currentTarget }) => text('unit', currentTarget.value)}
            />
          </Field>
        </div>
      </details>
    </>
  );
}

/** The sources of a panel, each with its fields. */
export const SourceList = ({
  sources,
  most,
  change,
  ...given
}: Given & { sources: readonly Source[]; most: number; change: (sources: readonly Source[]) => void }) => {
  const isOne = sources.length === 1;
  return (
    <>
      {sources.map((source, index) => (
        <fieldset key={index} class="source">
          <legend>
            {isOne ? 'Source' : `Source ${index + 1}`}
            {!isOne && (
              <button
                type="button"
                class="plain"
                aria-label={`Remove source ${index + 1}`}
                onClick={() => change(sources.filter((_, place) => place !== index))}
              >
                ×
              </button>
            )}
          </legend>
          <SourceFields
            {...given}
            source={source}
            change={(next) => change(sources.map((one, place) => (place === index ? next : one)))}
          />
        </fieldset>
      ))}
      {sources.length < most && (
        <button type="button" class="add" onClick={() => change([...sources, nextSource(given, sources)])}>
          Add a source
        </button>
      )}
    </>
  );
};

/** Returns the next source to add: the next variable of the last source's devices. */
const nextSource = ({ application, kind }: Given, sources: readonly Source[]): Source => {
  const last = sources.at(-1)!;
  const used = new Set(sources.map(({ variable }) => variable));
  const variable = variablesFor(application, kind).find((one) => !used.has(one)) ?? last.variable;
  const { unit: _unit, label: _label, ...rest } = last;
  return { ...rest, variable };
};
