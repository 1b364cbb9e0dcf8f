import { variablesList } from './condition-fields.js';
import { FaultField, SpanField } from './fault-field.js';
import type { Fields, RuleApplication } from './rule-types.js';

/** The fields of a rule that waits for records. */
export const Silence = ({ draft, faults, change }: Fields) => (
  <fieldset>
    <legend>Silence</legend>
    <div class="beside">
      <SpanField
        label="Silent for"
        hint="Time since the last record arrived, 1 minute to 90 days."
        path="silentFor"
        faults={faults}
        value={draft.silentFor}
        required
        change={(silentFor) => change({ silentFor })}
      />
      <FaultField
        label="Variable"
        hint="The one variable whose arrival counts. Empty: any record."
        path="variable"
        faults={faults}
      >
        <input
          list={variablesList}
          placeholder="any record"
          maxLength={200}
          spellcheck={false}
          value={draft.variable}
          onInput={({ currentTarget }) => change({ variable: currentTarget.value })}
        />
      </FaultField>
    </div>
  </fieldset>
);

/** Names of the list of suggestions for the name of a state. */
const statesList = 'states-of-rule';

/** The fields of a rule that waits for reports of desired state. */
export const Unsettled = ({ draft, faults, change, application }: Fields & { application: RuleApplication }) => (
  <fieldset>
    <legend>Desired state</legend>
    <datalist id={statesList}>
      {[...new Set(application.products.items.flatMap(({ settings }) => settings.state.map(({ name }) => name)))].map(
        (name) => (
          <option key={name} value={name} />
        ),
      )}
    </datalist>
    <div class="beside">
      <SpanField
        label="Not reported for"
        hint="Time since the desired value was set, 1 minute to 90 days."
        path="unsettledFor"
        faults={faults}
        value={draft.unsettledFor}
        required
        change={(unsettledFor) => change({ unsettledFor })}
      />
      <FaultField
        label="Name"
        hint="The one part of the state that counts. Empty: every part."
        path="stateName"
        faults={faults}
      >
        <input
          list={statesList}
          placeholder="every part"
          maxLength={100}
          spellcheck={false}
          value={draft.stateName}
          onInput={({ currentTarget }) => change({ stateName: currentTarget.value })}
        />
      </FaultField>
    </div>
  </fieldset>
);
