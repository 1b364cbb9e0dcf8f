import { useEffect, useState } from 'preact/hooks';
import { saveExport } from '../api/export.js';
import { Failure } from './state.js';

/**
 * A button that saves an export of an application or of the organization as a file. Pressing it again stops the export.
 */
export function ExportButton({
  label,
  applicationId,
  parameters,
}: {
  label: string;
  applicationId?: string;
  /** Parameters of the export by name. Those without a value are left out. */
  parameters: Readonly<Record<string, string | undefined>>;
}) {
  const [running, setRunning] = useState<AbortController>();
  const [error, setError] = useState<{ message: string }>();
  useEffect(() => () => running?.abort(), [running]);
  const save = async () => {
    const stop = new AbortController();
    setRunning(stop);
    setError(undefined);
    try {
      await saveExport(applicationId, parameters, stop.signal);
    } catch (failure) {
      if (!stop.signal.aborted) setError(failure as Error);
    }
    setRunning(undefined);
  };
  return (
    <>
      {running === undefined ? (
        <button type="button" onClick={() => void save()}>
          {label}
        </button>
      ) : (
        <button type="button" onClick={() => running.abort()}>
          Stop the download
        </button>
      )}
      {error !== undefined && <Failure error={error} />}
    </>
  );
}
