import type { AlertOperator } from '../../api/documents.js';
import { operators } from './alert-labels.js';
import { type ConditionDraft, type Fault, type Joined, type Row, rowOf, type Types } from './draft.js';
import { Faults, faultsAt } from './fault-field.js';

/** Maximum number of comparisons in one condition. */
const maxRows = 8;

const joinings: Readonly<Record<Joined, string>> = {
  all: 'All of these hold',
  any: 'One of these holds',
  query: 'A query finds the record',
};

/** The fields of a condition: rows of comparisons, of which all or one must hold, or a query as JSON. */
export function ConditionFields({
  path,
  title,
  value,
  types,
  faults,
  change,
}: {
  path: 'when' | 'until';
  title: string;
  value: ConditionDraft;
  types: Types;
  faults: readonly Fault[];
  change: (value: ConditionDraft) => void;
}) {
  const { by, rows, query } = value;
  const setRow = (key: number, changes: Partial<Row>) =>
    change({ ...value, rows: rows.map((row) => (row.key === key ? { ...row, ...changes } : row)) });
  const own = faults.filter((fault) => fault.path === path || fault.path === `${path}.${by}`);
  return (
    <fieldset>
      <legend>{title}</legend>
      <select
        class="joined"
        aria-label={`${title}: form of the condition`}
        value={by}
        onChange={({ currentTarget }) => change({ ...value, by: currentTarget.value as Joined })}
      >
        {Object.entries(joinings).map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
      <Faults of={own} />
      {by === 'query' ? (
        <>
          <textarea
            aria-label={`${title}: query`}
            rows={5}
            spellcheck={false}
            value={query}
            onInput={({ currentTarget }) => change({ ...value, query: currentTarget.value })}
          />
          <Faults of={faultsAt(faults, `${path}.query`).filter((fault) => !own.includes(fault))} />
          <span class="quiet hint">
            A query as <a href="/ddp/v1/docs">searches</a> accept it, over the record and its device.
          </span>
        </>
      ) : (
        <>
          {rows.map((row, index) => (
            <Comparison
              key={row.key}
              row={row}
              place={`${title}, comparison ${index + 1}`}
              types={types}
              faults={faultsAt(faults, `${path}.${by}.${index}`)}
              change={(changes) => setRow(row.key, changes)}
              {...(rows.length > 1 && {
                remove: () => change({ ...value, rows: rows.filter(({ key }) => key !== row.key) }),
              })}
            />
          ))}
          {rows.length < maxRows && (
            <button type="button" class="add" onClick={() => change({ ...value, rows: [...rows, rowOf()] })}>
              Add a comparison
            </button>
          )}
        </>
      )}
    </fieldset>
  );
}

/** Identifier of the list of variables that rows suggest. */
export const variablesList = 'alert-variables';

const equality: readonly AlertOperator[] = ['eq', 'ne'];

/** One comparison. Its operators and its value match the declared type of its variable. */
const Comparison = ({
  row: { variable, operator, value },
  place,
  types,
  faults,
  change,
  remove,
}: {
  row: Row;
  place: string;
  types: Types;
  faults: readonly Fault[];
  change: (changes: Partial<Row>) => void;
  remove?: () => void;
}) => {
  const type = types.get(variable.trim());
  const fitting = type === 'BOOL' || type === 'TXT' ? equality : (Object.keys(operators) as AlertOperator[]);
  const setVariable = (name: string) => {
    const now = types.get(name.trim());
    const onlyEquality = now === 'BOOL' || now === 'TXT';
    change({
      variable: name,
      ...(onlyEquality && !equality.includes(operator) && { operator: 'eq' }),
      ...(now === 'BOOL' && value !== 'false' && { value: 'true' }),
    });
  };
  return (
    <div class="comparison">
      <input
        aria-label={`${place}: variable`}
        aria-invalid={faults.some(({ path }) => path.endsWith('.variable'))}
        list={variablesList}
        placeholder="temperature"
        maxLength={200}
        spellcheck={false}
        value={variable}
        onInput={({ currentTarget }) => setVariable(currentTarget.value)}
      />
      <select
        aria-label={`${place}: operator`}
        aria-invalid={faults.some(({ path }) => path.endsWith('.operator'))}
        value={operator}
        onChange={({ currentTarget }) => change({ operator: currentTarget.value as AlertOperator })}
      >
        {fitting.map((one) => (
          <option key={one} value={one}>
            {operators[one]}
          </option>
        ))}
      </select>
      {type === 'BOOL' ? (
        <select
          aria-label={`${place}: value`}
          value={value}
          onChange={({ currentTarget }) => change({ value: currentTarget.value })}
        >
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      ) : (
        <input
          type="text"
          aria-label={`${place}: value`}
          aria-invalid={faults.some(({ path }) => path.endsWith('.value'))}
          inputMode={type === undefined || type === 'TXT' ? 'text' : 'decimal'}
          placeholder={type === 'TXT' ? 'text' : '8'}
          maxLength={200}
          value={value}
          onInput={({ currentTarget }) => change({ value: currentTarget.value })}
        />
      )}
      {remove === undefined ? (
        <span />
      ) : (
        <button type="button" aria-label={`Remove: ${place}`} onClick={remove}>
          ×
        </button>
      )}
      <Faults of={faults} />
    </div>
  );
};
