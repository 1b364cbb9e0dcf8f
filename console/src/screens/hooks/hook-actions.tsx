import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import {
  DeleteHookDocument,
  PingHookDocument,
  RotateSecretDocument,
  UpdateHookDocument,
  UpdateHookSettingsDocument,
} from '../../api/documents.js';
import { ask, type GraphError, refusalOf } from '../../api/graph.js';
import { toast } from '../../browser/toast.js';
import { Action } from '../../components/action.js';
import { Copyable } from '../../components/copy.js';
import { Danger, DangerZone, Delete } from '../../components/edit-and-delete.js';
import { Failure } from '../../components/state.js';
import { HookFields, hookOf } from './hook-fields.js';
import type { Hook } from './hook-type.js';
import type { HookNames } from './redeliver-range.js';
import { SettingsFields, settingsOf } from './settings-fields.js';

/** Actions on a hook: ping, change, switch on or off. */
export function HookActions({ hook, names, reload }: { hook: Hook; names: HookNames; reload: () => void }) {
  const { route } = useLocation();
  const [refusal, setRefusal] = useState<GraphError | undefined>();
  const [busy, setBusy] = useState(false);
  const carryOut = async (work: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await work();
      setRefusal(undefined);
    } catch (error) {
      setRefusal(refusalOf(error));
    } finally {
      setBusy(false);
    }
  };
  const ping = async () => {
    const { pingApplicationHook } = await ask(PingHookDocument, names);
    route(`/console/hooks/${names.applicationId}/${names.applicationHookId}/${pingApplicationHook.id}`);
  };
  const turn = async () => {
    const set = async (disabled: boolean) => {
      await ask(UpdateHookDocument, { ...names, url: hook.url, disabled });
      reload();
    };
    await set(!hook.disabled);
    toast(hook.disabled ? 'The hook is switched on.' : 'The hook is switched off.', () => set(hook.disabled));
  };
  return (
    <>
      <button type="button" class="primary" disabled={busy} onClick={() => void carryOut(ping)}>
        Ping
      </button>
      <button type="button" disabled={busy} onClick={() => void carryOut(turn)}>
        {hook.disabled ? 'Switch on' : 'Switch off'}
      </button>
      <Action
        label="Edit"
        title="Edit the hook"
        action="Save"
        submit={async (form) => {
          await ask(UpdateHookDocument, { ...names, ...hookOf(form) });
          reload();
        }}
      >
        <HookFields hook={hook} />
      </Action>
      <Action
        label="Settings"
        title="Settings of the hook"
        action="Save"
        submit={async (form) => {
          await ask(UpdateHookSettingsDocument, { ...names, ...settingsOf(form) });
          reload();
        }}
      >
        <SettingsFields hook={hook} />
      </Action>
      {refusal && <Failure error={refusal} />}
    </>
  );
}

/** Changes of a hook that cannot be undone: a new secret, and deletion. */
export function HookDanger({ names, reload }: { names: HookNames; reload: () => void }) {
  const [secret, setSecret] = useState<string | undefined>();
  const rotation =
    'Calls are signed by a new secret, which is shown once. The previous secret also signs for 24 hours.';
  return (
    <DangerZone>
      <Danger says={rotation}>
        <Action
          label="Rotate the secret"
          title="Rotate the signing secret"
          action="Rotate"
          submit={async () => {
            const { rotateApplicationHookSigningSecret } = await ask(RotateSecretDocument, names);
            setSecret(rotateApplicationHookSigningSecret.signingSecret);
            reload();
          }}
        >
          <p>{rotation}</p>
        </Action>
      </Danger>
      {secret !== undefined && (
        <li role="status" class="whole">
          <p>The new signing secret. It is shown only once:</p>
          <Copyable label="The new signing secret" text={secret} />
        </li>
      )}
      <Delete
        of="hook"
        list="/console/hooks"
        consequence="Its waiting deliveries end, and the history of its deliveries is deleted."
        remove={() => ask(DeleteHookDocument, names)}
      />
    </DangerZone>
  );
}
