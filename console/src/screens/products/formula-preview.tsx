import { useState } from 'preact/hooks';
import {
  type DerivedVariableInput,
  FormulaDevicesDocument,
  PreviewFormulasDocument,
  type PreviewFormulasQuery,
} from '../../api/documents.js';
import { organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useSettled } from '../../browser/use-settled.js';
import { Field } from '../../components/dialog.js';
import { Empty, Failure } from '../../components/state.js';
import { TableFrame } from '../../components/table-frame.js';
import { formatTime } from '../../format/time.js';
import { shown } from '../../format/value.js';

type Preview = NonNullable<PreviewFormulasQuery['previewFormulas']>;

/** Number of records in the preview. */
const limit = 5;

/** Shows what derived variables would be in the newest records of a device, or where their formulas are at fault. */
export function FormulaPreview({
  productId,
  derived,
}: {
  productId: string;
  derived: readonly DerivedVariableInput[];
}) {
  const devices = useQuery(FormulaDevicesDocument, { organizationId: organizationId.value, productId });
  const list = devices.data?.devices.items ?? [];
  const [chosen, setChosen] = useState<string>();
  const deviceId = chosen ?? list[0]?.id;
  const settled = useSettled(JSON.stringify(derived));
  const asked = JSON.parse(settled) as DerivedVariableInput[];
  const preview = useQuery(
    PreviewFormulasDocument,
    deviceId === undefined || asked.length === 0
      ? undefined
      : { organizationId: organizationId.value, productId, deviceId, derived: asked, limit },
  );
  const found = asked.length === 0 ? undefined : preview.data?.previewFormulas;
  return (
    <section class="preview" aria-label="Preview" aria-live="polite">
      {deviceId === undefined ? (
        <p class="quiet">
          {devices.loading ? 'Looking for devices…' : 'No device of the product to try formulas with.'}
        </p>
      ) : (
        <Field label="Try with the newest records of">
          <select value={deviceId} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            {list.map(({ id, name, serial }) => (
              <option key={id} value={id}>
                {name === null ? serial : `${name} (${serial})`}
              </option>
            ))}
          </select>
        </Field>
      )}
      {preview.error && asked.length > 0 && <Failure error={preview.error} />}
      {found?.faults.map(({ index, message, at }) => (
        <Fault key={`${index} ${message}`} of={index === null ? undefined : asked[index]} message={message} at={at} />
      ))}
      {found && <Values of={found} />}
    </section>
  );
}

/** A fault with the formula, in which its place is marked. */
const Fault = ({ of, message, at }: { of: DerivedVariableInput | undefined; message: string; at: number | null }) => {
  const rest = of?.formula.slice(at ?? 0) ?? '';
  const [marked = ''] = /^(?:\w+|\W)?/.exec(rest) ?? [];
  return (
    <p class="formula-fault" role="alert">
      <b>{of?.name ?? 'The formulas'}</b> {message}.
      {of !== undefined && at !== null && (
        <code>
          {of.formula.slice(0, at)}
          <mark>{marked || '␣'}</mark>
          {rest.slice(marked.length)}
        </code>
      )}
    </p>
  );
};

/** Reasons why a formula has no value. */
const reasons: Readonly<Record<string, string>> = {
  MISSING: 'no value of',
  WRONG_TYPE: 'wrong type of',
  DIVISION_BY_ZERO: 'division by zero',
  OVERFLOW: 'too large',
  NOT_A_NUMBER: 'not a number',
  OUT_OF_RANGE: 'does not fit the type',
  FORMULA: 'see the fault',
};

/** The records with what formulas read and give. */
const Values = ({ of: { records } }: { of: Preview }) => {
  const inputs = [...new Set(records.flatMap((record) => Object.keys(record.inputs)))];
  const [first] = records;
  if (first === undefined) return <Empty title="The device has no records" />;
  return (
    <TableFrame label="Preview">
      <table aria-label="Preview">
        <thead>
          <tr>
            <th>Measured</th>
            {inputs.map((name) => (
              <th key={name} class="number">
                {name}
              </th>
            ))}
            {first.values.map(({ name }) => (
              <th key={name} class="number">
                = {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map(({ recordId, ts, inputs: read, values }) => (
            <tr key={recordId}>
              <td>{formatTime(ts)}</td>
              {inputs.map((name) => (
                <td key={name} class="number quiet">
                  {read[name] === undefined ? '–' : shown(read[name])}
                </td>
              ))}
              {values.map(({ name, value, code, input }) => (
                <td key={name} class="number">
                  {code == null ? (
                    shown(value)
                  ) : (
                    <span class="quiet">{[reasons[code] ?? code, input].join(' ').trim()}</span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
};
