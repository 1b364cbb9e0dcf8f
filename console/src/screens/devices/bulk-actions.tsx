import { useState } from 'preact/hooks';
import { Action } from '../../components/action.js';
import { Field } from '../../components/dialog.js';
import type { DevicesQuery } from '../../documents.js';
import { textOf } from '../../form.js';
import { mayOwn } from '../../session.js';
import { tagsOf } from '../device/device-actions.js';
import { type Change, changeAll, type Target } from './bulk.js';

/** What can be done to the devices that are chosen: each dialog says first how many they are. */
export function BulkActions({
  target,
  count,
  applications,
  done,
}: {
  target: Target;
  count: number;
  applications: NonNullable<DevicesQuery['applications']>['items'];
  done: () => void;
}) {
  const [progress, setProgress] = useState<{ done: number; all: number } | undefined>();
  const carryOut = async (change: Change) => {
    try {
      await changeAll(target, change, (changed, all) => setProgress({ done: changed, all }));
    } finally {
      setProgress(undefined);
    }
    done();
  };
  const devices = `${count.toLocaleString()} ${count === 1 ? 'device' : 'devices'}`;
  const bar = progress && (
    <p class="job" role="status">
      <progress aria-label="Progress" value={progress.done} max={progress.all} />
      <span class="quiet">
        {progress.done.toLocaleString()} of {progress.all.toLocaleString()}
      </span>
    </p>
  );
  if (!mayOwn.value) return null;
  const choice = (
    <Field label="Application">
      <select name="application" required>
        {applications.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
  return (
    <>
      <Action
        label="Tag"
        title={`Tag ${devices}`}
        action="Tag"
        submit={(form) =>
          carryOut({ kind: 'tag', add: tagsOf(textOf(form, 'add')), remove: tagsOf(textOf(form, 'remove')) })
        }
      >
        <Field label="Tags to add" hint="Joined by commas.">
          <input name="add" />
        </Field>
        <Field label="Tags to take away">
          <input name="remove" />
        </Field>
        {bar}
      </Action>
      <Action
        label="Link"
        title={`Link ${devices}`}
        action="Link"
        submit={(form) => carryOut({ kind: 'link', applicationId: textOf(form, 'application') })}
      >
        {choice}
        {bar}
      </Action>
      <Action
        label="Unlink"
        title={`Unlink ${devices}`}
        action="Unlink"
        submit={(form) => carryOut({ kind: 'unlink', applicationId: textOf(form, 'application') })}
      >
        {choice}
        {bar}
      </Action>
      <Action
        label="Delete"
        title={`Delete ${devices}`}
        action="Delete"
        danger
        submit={() => carryOut({ kind: 'delete' })}
      >
        <p>
          <strong>{devices}</strong> {count === 1 ? 'is' : 'are'} deleted, with their records and their links to
          applications. This cannot be taken back.
        </p>
        {bar}
      </Action>
    </>
  );
}
