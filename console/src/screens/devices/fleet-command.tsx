import { useState } from 'preact/hooks';
import { FleetCommandsDocument } from '../../api/documents.js';
import { organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { toast } from '../../browser/toast.js';
import { FormDialog, nextStep } from '../../components/dialog.js';
import { Loading } from '../../components/state.js';
import { counted } from '../../format/value.js';
import { CommandFields, commandIn, labelIn, rawChoice } from '../device/command-form.js';
import type { Target } from './bulk.js';
import { type CountedCommand, countCommand, fleetChoices, matchingFor, sendCommands } from './fleet.js';

interface Properties {
  target: Target;
  count: number;
  /** Called with the job that sends the command, if there is one. */
  done: (jobId: string | undefined) => void;
}

/** A button that opens a dialog, which counts the devices that get a command, and then sends it. */
export function FleetCommand(properties: Properties) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Send a command
      </button>
      {isOpen && <CommandDialog {...properties} close={() => setOpen(false)} />}
    </>
  );
}

function CommandDialog({ target: given, count, done, close }: Properties & { close: () => void }) {
  // The filter of silent devices moves with the clock. The devices that were counted get the command.
  const [target] = useState(given);
  const [result, setResult] = useState<CountedCommand | undefined>();
  const found = useQuery(FleetCommandsDocument, {
    organizationId: organizationId.value,
    ...(matchingFor(target) ?? { q: null, filter: null }),
  });
  const choices = found.data && fleetChoices(found.data, target);
  const isReady = result !== undefined && result.blocked === 0 && result.changed > 0;
  const submit = async (form: FormData) => {
    if (choices === undefined) return nextStep;
    if (!isReady) {
      const label = labelIn(form);
      const choice = choices.find((each) => each.label === label);
      setResult(await countCommand(target, choice, commandIn(form, choice ?? rawChoice)));
      return nextStep;
    }
    const { changed, job } = await sendCommands(result.sent);
    if (job === null) toast(sentText(changed));
    done(job?.id);
    return undefined;
  };
  return (
    <FormDialog
      title={`Send a command to ${counted(count, 'device')}`}
      action={isReady ? `Send to ${counted(result.changed, 'device')}` : 'Count the devices'}
      submit={submit}
      close={close}
    >
      <Loading of={found} rows={3}>
        {() => (
          // A change of the form makes the count void.
          <div onInput={() => setResult(undefined)}>
            <CommandFields choices={choices ?? []} />
          </div>
        )}
      </Loading>
      <div role="status">{result && <Counts of={result} />}</div>
    </FormDialog>
  );
}

/** Says who got a command. A repeated call, whose first answer was lost, finds no device without it. */
const sentText = (changed: number): string =>
  changed === 0 ? 'The devices have the command already.' : `The command was sent to ${counted(changed, 'device')}.`;

/** Says how many devices get a command, and why others do not. */
const Counts = ({ of: { matched, changed, undeclared, blocked, isFull } }: { of: CountedCommand }) => (
  <>
    <p>
      <strong>
        {changed.toLocaleString()} of {counted(matched, 'device')}
      </strong>{' '}
      can get it.
    </p>
    {undeclared > 0 && (
      <p>{counted(undeclared, 'device')} cannot: their product does not declare it with these parameters.</p>
    )}
    {blocked > 0 && (
      <p>
        {counted(blocked, 'device')} cannot, so that nobody gets it: a thousand commands wait there already
        {!isFull && ', or the product does not declare it with these parameters'}. Cancel commands, or choose other
        devices.
      </p>
    )}
  </>
);
