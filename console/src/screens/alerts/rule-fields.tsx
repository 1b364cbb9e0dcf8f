import type { AlertKind, AlertSeverity } from '../../api/documents.js';
import { severities } from '../../components/badge.js';
import { Choices, type Option } from '../../components/choices.js';
import { kinds, recipientReasons, recipientStates } from './alert-labels.js';
import { ConditionFields, variablesList } from './condition-fields.js';
import { FaultField, Faults, faultsAt, SpanField } from './fault-field.js';
import type { Fields, RuleApplication, ShownRule } from './rule-types.js';
import { Silence, Unsettled } from './wait-fields.js';

/** The fields of a rule's form. */
export const RuleFields = ({
  application,
  isNew,
  recipients,
  ...fields
}: Fields & { application: RuleApplication; isNew: boolean; recipients: ShownRule['recipientStates'] }) => (
  <>
    <Basics {...fields} isNew={isNew} />
    <Devices {...fields} application={application} />
    <datalist id={variablesList}>
      {[...fields.types.keys()].sort().map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
    {fields.draft.kind === 'threshold' && <Threshold {...fields} />}
    {fields.draft.kind === 'silence' && <Silence {...fields} />}
    {fields.draft.kind === 'unsettled' && <Unsettled {...fields} application={application} />}
    <Recipients {...fields} states={recipients} />
  </>
);

const Basics = ({ draft, faults, change, isNew }: Fields & { isNew: boolean }) => (
  <div class="beside three">
    <FaultField label="Name" path="name" faults={faults}>
      <input
        required
        maxLength={200}
        placeholder="Too warm"
        value={draft.name}
        onInput={({ currentTarget }) => change({ name: currentTarget.value })}
      />
    </FaultField>
    <FaultField label="Opens when" path="kind" faults={faults}>
      <select
        value={draft.kind}
        disabled={!isNew}
        onChange={({ currentTarget }) => change({ kind: currentTarget.value as AlertKind })}
      >
        {Object.entries(kinds).map(([kind, text]) => (
          <option key={kind} value={kind}>
            {text}
          </option>
        ))}
      </select>
    </FaultField>
    <FaultField label="Severity" path="severity" faults={faults}>
      <select
        value={draft.severity}
        onChange={({ currentTarget }) => change({ severity: currentTarget.value as AlertSeverity })}
      >
        {severities.map((severity) => (
          <option key={severity} value={severity}>
            {severity}
          </option>
        ))}
      </select>
    </FaultField>
  </div>
);

/** Returns options with those that are chosen and unknown, by their identifiers. */
const withUnknown = (known: readonly Option[], chosen: readonly string[]): Option[] => [
  ...known,
  ...chosen.filter((id) => known.every(({ value }) => value !== id)).map((id) => ({ value: id, title: id })),
];

/** Selects the devices of the application that the rule watches. */
const Devices = ({ draft, faults, change, application }: Fields & { application: RuleApplication }) => {
  const known = application.products.items.map(({ id, name, version }) => ({ value: id, title: `${name} ${version}` }));
  const sites = application.sites.map(({ id, name }) => ({ value: id, title: name }));
  return (
    <fieldset>
      <legend>Devices</legend>
      <div class="beside">
        <div class="field unlabelled">
          <Choices
            label="Products"
            none="every product"
            options={withUnknown(known, draft.products)}
            chosen={draft.products}
            choose={(products) => change({ products })}
          />
          <Faults of={faultsAt(faults, 'products')} />
        </div>
        {(sites.length > 0 || draft.sites.length > 0) && (
          <div class="field unlabelled">
            <Choices
              label="Sites"
              none="every site"
              options={withUnknown(sites, draft.sites)}
              chosen={draft.sites}
              choose={(chosen) => change({ sites: chosen })}
            />
            <Faults of={faultsAt(faults, 'sites')} />
          </div>
        )}
        <FaultField
          label="Tags"
          hint="Devices with one of these, separated by commas. Empty: all."
          path="tags"
          faults={faults}
        >
          <input
            placeholder="cold-room, freezer"
            value={draft.tags}
            onInput={({ currentTarget }) => change({ tags: currentTarget.value })}
          />
        </FaultField>
      </div>
    </fieldset>
  );
};

const Threshold = ({ draft, types, faults, change }: Fields) => (
  <>
    <ConditionFields
      path="when"
      title="When"
      value={draft.when}
      types={types}
      faults={faults}
      change={(when) => change({ when })}
    />
    <label class="check">
      <input
        type="checkbox"
        checked={draft.hasUntil}
        onChange={({ currentTarget }) => change({ hasUntil: currentTarget.checked })}
      />
      Close on another condition, instead of as soon as the one above no longer holds
    </label>
    {draft.hasUntil ? (
      <ConditionFields
        path="until"
        title="Until"
        value={draft.until}
        types={types}
        faults={faults}
        change={(until) => change({ until })}
      />
    ) : (
      <Faults of={faultsAt(faults, 'until')} />
    )}
    <fieldset>
      <legend>How long</legend>
      <div class="beside three">
        <SpanField
          label="For"
          hint="Time for which it must hold, by the times of records. Empty: the first record opens an alert."
          path="for"
          faults={faults}
          value={draft.for}
          placeholder="0"
          change={(value) => change({ for: value })}
        />
        <SpanField
          label="Longest gap"
          hint="Records further apart do not show that it held in between. Empty: 1 hour."
          path="maxGap"
          faults={faults}
          value={draft.maxGap}
          placeholder="1"
          change={(maxGap) => change({ maxGap })}
        />
        <SpanField
          label="Close after"
          hint="Closes by itself when no record arrives for this time. Empty: never."
          path="closeAfter"
          faults={faults}
          value={draft.closeAfter}
          placeholder="never"
          change={(closeAfter) => change({ closeAfter })}
        />
      </div>
    </fieldset>
  </>
);

/** The e-mail addresses that get notices, with the state of each. */
const Recipients = ({ draft, faults, change, states }: Fields & { states: ShownRule['recipientStates'] }) => (
  <fieldset>
    <legend>E-mail</legend>
    <FaultField
      label="Recipients"
      hint="Addresses, separated by commas. Each one gets a mail that asks for confirmation first."
      path="recipients"
      faults={faults}
    >
      <input
        placeholder="nobody"
        spellcheck={false}
        value={draft.recipients}
        onInput={({ currentTarget }) => change({ recipients: currentTarget.value })}
      />
    </FaultField>
    {states.length > 0 && (
      <ul class="quiet">
        {states.map(({ address, state, reason }) => (
          <li key={address}>
            {address}: {recipientStates[state]}
            {reason != null && ` (${recipientReasons[reason] ?? reason})`}
          </li>
        ))}
      </ul>
    )}
  </fieldset>
);
