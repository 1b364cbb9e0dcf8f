import { useEffect, useState } from 'preact/hooks';
import type { ChangedDevicesFragment, DevicesQuery } from '../../api/documents.js';
import { GraphError, refusalOf } from '../../api/graph.js';
import { mayOwn } from '../../api/session.js';
import { listOf, textOf } from '../../browser/form.js';
import { Action } from '../../components/action.js';
import { Field } from '../../components/dialog.js';
import { Failure } from '../../components/state.js';
import { counted } from '../../format/value.js';
import { type Change, changeDevices, type Target } from './bulk.js';

/** Changes of the chosen devices, for owners. Each dialog shows their number first. */
export function BulkActions({
  target,
  count,
  applications,
  done,
}: {
  target: Target;
  count: number;
  applications: NonNullable<DevicesQuery['applications']>['items'];
  /** Called with the job that makes the change, if there is one. */
  done: (jobId: string | undefined) => void;
}) {
  if (!mayOwn.value) return null;
  const devices = counted(count, 'device');
  const carryOut = async (change: Change) => {
    const { blocked, matched, job } = await changeDevices(target, change);
    if (blocked > 0) throw new GraphError(blockedText(change.kind, blocked, matched), 'CONFLICT', undefined);
    done(job?.id);
  };
  const tagging = (kind: 'tag' | 'untag', label: string, field: string) => (
    <Action
      label={label}
      title={`${label} ${devices}`}
      action={label}
      submit={(form) => carryOut({ kind, tags: listOf(textOf(form, 'tags')) })}
    >
      <Field label={field} hint="Separated by commas.">
        <input name="tags" required />
      </Field>
    </Action>
  );
  const linking = (kind: 'link' | 'unlink', label: string) => (
    <Action
      label={label}
      title={`${label} ${devices}`}
      action={label}
      submit={(form) => carryOut({ kind, applicationId: textOf(form, 'application') })}
    >
      <Field label="Application">
        <select name="application" required>
          {applications.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </Field>
    </Action>
  );
  return (
    <>
      {tagging('tag', 'Tag', 'Tags to add')}
      {tagging('untag', 'Untag', 'Tags to remove')}
      {linking('link', 'Link')}
      {linking('unlink', 'Unlink')}
      <Action
        label="Delete"
        title={`Delete ${devices}`}
        action="Delete"
        danger
        submit={() => carryOut({ kind: 'delete' })}
      >
        <CountedDeletion target={target} />
      </Action>
    </>
  );
}

const blockedText = (kind: Change['kind'], blocked: number, matched: number): string => {
  const devices = `${blocked.toLocaleString()} of ${counted(matched, 'device')}`;
  return kind === 'delete'
    ? `Applications still have ${devices}: unlink first. None was changed.`
    : `More than 50 tags would be on ${devices}. None was changed.`;
};

/** Shows how many devices would be deleted, as the service counts them, and how many prevent the deletion. */
function CountedDeletion({ target }: { target: Target }) {
  const [result, setResult] = useState<ChangedDevicesFragment | undefined>();
  const [error, setError] = useState<GraphError | undefined>();
  useEffect(() => {
    changeDevices(target, { kind: 'delete' }, true).then(setResult, (cause: unknown) => setError(refusalOf(cause)));
    // Counted once, when the dialog opens.
  }, []);
  if (error !== undefined) return <Failure error={error} />;
  return (
    <p role="status">
      {result === undefined ? (
        'Counting…'
      ) : result.blocked > 0 ? (
        blockedText('delete', result.blocked, result.matched)
      ) : (
        <>
          This deletes <strong>{counted(result.changed, 'device')}</strong> with all records. It cannot be taken back.
        </>
      )}
    </p>
  );
}
