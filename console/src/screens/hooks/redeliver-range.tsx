import {
  CountDeliveriesDocument,
  type Ended,
  RedeliverRangeDocument,
  ReplayRangeDocument,
} from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { textOf } from '../../browser/form.js';
import { Action } from '../../components/action.js';
import { Field } from '../../components/dialog.js';
import { Loading } from '../../components/state.js';
import { formatTime, zone } from '../../format/time.js';
import { counted } from '../../format/value.js';

/** Identifiers of a hook, as operations take them. */
export interface HookNames {
  readonly organizationId: string;
  readonly applicationId: string;
  readonly applicationHookId: string;
}

/**
 * Actions that redeliver the deliveries of a range, or deliver its stored records. Each dialog first shows how many
 * there are.
 */
export function Again({ names, from, to }: { names: HookNames; from: number; to: number }) {
  const address = useAddress();
  const range = { ...names, from, to };
  // Fixes the range as it was counted, and keeps the job in the address, so that both survive a reload.
  const follow = (job: string) => address.set({ range: `${from}..${to}`, job });
  return (
    <>
      <Action
        label="Redeliver"
        title="Redeliver a range"
        action="Redeliver"
        submit={async (form) => {
          const state = textOf(form, 'state') as Ended;
          follow((await ask(RedeliverRangeDocument, { ...range, state })).redeliverApplicationHook.id);
        }}
      >
        <Counted names={names} from={from} to={to} replays={false} />
      </Action>
      <Action
        label="Replay"
        title="Replay stored records"
        action="Replay"
        submit={async () => follow((await ask(ReplayRangeDocument, range)).replayApplicationHook.id)}
      >
        <Counted names={names} from={from} to={to} replays />
      </Action>
    </>
  );
}

const Counted = ({ names, from, to, replays }: { names: HookNames; from: number; to: number; replays: boolean }) => {
  const counts = useQuery(CountDeliveriesDocument, { ...names, from, to });
  const between = `between ${formatTime(from)} and ${formatTime(to)} (${zone.value})`;
  return (
    <Loading of={counts} rows={2}>
      {({ failed, succeeded, application }) =>
        replays ? (
          <p>
            This sends <strong>{counted(application.records.totalCount, 'record')}</strong> measured {between} to this
            hook, as far as its filter allows.
          </p>
        ) : (
          <>
            <p>Deliveries stored {between}:</p>
            <Field label="Which of them">
              <select name="state">
                <option value="failed">
                  {number(failed.totalCount)} that failed or wait (only failed ones are sent)
                </option>
                <option value="succeeded">{number(succeeded.totalCount)} that succeeded</option>
              </select>
            </Field>
          </>
        )
      }
    </Loading>
  );
};

const number = (total: number | null) => (total === null ? 'More than 10,000' : total.toLocaleString());
