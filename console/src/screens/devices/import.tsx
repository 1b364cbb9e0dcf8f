import { useEffect, useState } from 'preact/hooks';
import {
  ApplyFileImportDocument,
  DeleteFileImportDocument,
  FileImportDocument,
  type FileImportQuery,
} from '../../api/documents.js';
import { ask, type GraphError, refusalIn, send } from '../../api/graph.js';
import { authorization, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { Action } from '../../components/action.js';
import { Field } from '../../components/dialog.js';
import { Section } from '../../components/page.js';
import { Failure, Loading } from '../../components/state.js';
import { TableFrame } from '../../components/table-frame.js';
import { counted } from '../../format/value.js';

/** Uploads a file for a dry run and returns the identifier of its import. */
async function sendFile(kind: 'devices' | 'records', file: File): Promise<string> {
  const ending = file.name.slice(file.name.lastIndexOf('.') + 1).toLowerCase();
  const type = types[ending] ?? 'text/csv';
  const response = await send(`/ddp/v1/organizations/${organizationId.value}/imports/${kind}`, {
    method: 'POST',
    headers: { 'content-type': type, ...authorization() },
    body: file,
  });
  if (!response.ok) throw await refusalIn(response);
  return ((await response.json()) as { id: string }).id;
}

const types: Readonly<Record<string, string>> = {
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

/** Buttons that upload a file of devices or of past records. `sent` receives the identifier of the import. */
export function ImportActions({ sent }: { sent: (importId: string) => void }) {
  const action = (kind: 'devices' | 'records', label: string, hint: string, accept: string) => (
    <Action
      label={label}
      action="Check the file"
      submit={async (form) => sent(await sendFile(kind, form.get('file') as File))}
    >
      <Field label="File" hint={hint}>
        <input type="file" name="file" required accept={accept} />
      </Field>
    </Action>
  );
  return (
    <>
      {action(
        'devices',
        'Import devices',
        'CSV with the columns serial, name, product, tags, location, application. It is only checked first.',
        '.csv,text/csv',
      )}
      {action(
        'records',
        'Import history',
        'CSV, NDJSON or Parquet with the columns serial, ts and one for each value. It is only checked first.',
        '.csv,.ndjson,.jsonl,.parquet',
      )}
    </>
  );
}

type Import = NonNullable<FileImportQuery['fileImport']>;

const isUnderWay = ({ state }: Pick<Import, 'state'>) => state === 'checking' || state === 'applying';

/** Interval between reloads of an import in progress, in milliseconds. */
const pause = 1000;

/** Shows what a file would change or has changed: counts, progress, faults, and a button that applies it. */
export function ImportPanel({
  importId,
  changed,
  close,
}: {
  importId: string;
  changed: () => void;
  close: () => void;
}) {
  const found = useQuery(
    FileImportDocument,
    { organizationId: organizationId.value, importId },
    { every: ({ fileImport }) => (isUnderWay(fileImport) ? pause : undefined) },
  );
  const now = found.data?.fileImport;
  const isDone = now?.state === 'done';
  useEffect(() => {
    if (isDone) changed();
  }, [isDone]);
  return (
    <Section title={now?.kind === 'records' ? 'Import of history' : 'Import of devices'}>
      <Loading of={found} rows={3}>
        {({ fileImport }) => <Outcome of={fileImport} reload={found.reload} close={close} />}
      </Loading>
    </Section>
  );
}

const states: Readonly<Record<Import['state'], string>> = {
  checking: 'The file is being checked.',
  checked: 'The file is checked. Nothing is stored yet.',
  applying: 'The file is being imported.',
  done: 'The file is imported.',
  failed: 'The import ended early.',
};

function Outcome({ of, reload, close }: { of: Import; reload: () => void; close: () => void }) {
  const { id, state, created, updated, unchanged, rejected, faultCount, faults, ignoredCount, ignored, job } = of;
  const variables = { organizationId: organizationId.value, importId: id };
  const [error, setError] = useState<GraphError>();
  const settle = (asked: Promise<unknown>, then: () => void) => {
    setError(undefined);
    void asked.then(then, setError);
  };
  const good = created + updated + unchanged;
  const mayApply = state === 'checked' && good > 0;
  // A failed dry run cannot be continued.
  const mayGoOn = state === 'failed' && job?.kind.startsWith('import') === true;
  return (
    <>
      <p role="status">
        {states[state]} {state === 'failed' && job?.error}
      </p>
      {isUnderWay(of) && (
        <progress aria-label="Lines read" value={job?.done ?? 0} max={Math.max(job?.total ?? 0, job?.done ?? 0, 1)} />
      )}
      <p>
        {created.toLocaleString()} new, {updated.toLocaleString()} changed, {unchanged.toLocaleString()} unchanged,{' '}
        {counted(rejected, 'line')} rejected.
      </p>
      {faults.length > 0 && (
        <TableFrame label="Faults">
          <table aria-label="Faults">
            <thead>
              <tr>
                <th>Line</th>
                <th>Column</th>
                <th>What is wrong</th>
              </tr>
            </thead>
            <tbody>
              {faults.slice(0, shownFaults).map(({ line, column, field, message }) => (
                <tr key={`${line}/${column}/${message}`}>
                  <td>{line}</td>
                  <td>{[column, field].filter((each) => each != null).join(' ')}</td>
                  <td>{message}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
      {faultCount > shownFaults && <p class="quiet">These are the first of {faultCount.toLocaleString()} faults.</p>}
      {ignored.length > 0 && <IgnoredTable count={ignoredCount ?? 0} ignored={ignored} />}
      {error !== undefined && <Failure error={error} retry={reload} />}
      <div class="actions">
        {(mayApply || mayGoOn) && (
          <button type="button" class="primary" onClick={() => settle(ask(ApplyFileImportDocument, variables), reload)}>
            {mayGoOn ? 'Apply the import' : `Import ${counted(good, 'line')}`}
          </button>
        )}
        {state === 'checked' && (
          <button type="button" onClick={() => settle(ask(DeleteFileImportDocument, variables), close)}>
            Discard the file
          </button>
        )}
        {!isUnderWay(of) && state !== 'checked' && (
          <button type="button" onClick={close}>
            Close
          </button>
        )}
      </div>
    </>
  );
}

/** Lists the values that are imported although searches ignore them. */
function IgnoredTable({ count, ignored }: { count: number; ignored: Import['ignored'] }) {
  return (
    <>
      <p>
        {counted(count, 'value')} of the wrong type: imported with the other values of the line, but searches and charts
        leave {count === 1 ? 'it' : 'them'} out.
      </p>
      <TableFrame label="Values of the wrong type">
        <table aria-label="Values of the wrong type">
          <thead>
            <tr>
              <th>Variable</th>
              <th>Values</th>
              <th>First on line</th>
              <th>What is wrong</th>
            </tr>
          </thead>
          <tbody>
            {ignored.map(({ field, count: values, line, message }) => (
              <tr key={field}>
                <td>{field}</td>
                <td>{values.toLocaleString()}</td>
                <td>{line}</td>
                <td>{message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </>
  );
}

/** Maximum number of rows in the table of faults. */
const shownFaults = 100;
