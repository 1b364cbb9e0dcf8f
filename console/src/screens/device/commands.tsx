import {
  CancelCommandsDocument,
  type CommandLineFragment,
  DeviceCommandsDocument,
  SendCommandDocument,
} from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { isOwner, mayWrite, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { Action } from '../../components/action.js';
import { Ago } from '../../components/ago.js';
import { Badge } from '../../components/badge.js';
import { Section } from '../../components/page.js';
import { Empty, Loading } from '../../components/state.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { formatTime, secondsOf } from '../../format/time.js';
import { CommandFields, chosenIn, commandIn, labelIn } from './command-form.js';
import { type Commanded, plain } from './commanded.js';
import { State } from './device-state.js';

const limit = 20;
/** Time between two looks while the fate of a command is open, in milliseconds. */
const lookAgain = 2000;

/** The commands to a device with their evidence, and its state beside the desired one. */
export function Commands({ deviceId }: { deviceId: string }) {
  const address = useAddress();
  const page = Number(address.get('page')) || 1;
  const found = useQuery(
    DeviceCommandsDocument,
    { organizationId: organizationId.value, deviceId, limit, page },
    { every: ({ device }) => (isMoving(device) ? lookAgain : undefined) },
  );
  return (
    <Loading of={found} rows={8}>
      {({ device }) => {
        const maySend =
          mayWrite.value &&
          (isOwner.value || device.applications.items.some(({ permission }) => permission === 'write'));
        return (
          <>
            <State device={device} maySet={maySend} reload={found.reload} />
            <Section title="Commands" actions={maySend && <Send device={device} reload={found.reload} />}>
              {device.commands.items.length === 0 ? (
                <Empty title="No command yet">
                  <p>A command waits until the device takes it, and the evidence of its fate shows here.</p>
                </Empty>
              ) : (
                <>
                  <List of={device} maySend={maySend} reload={found.reload} />
                  <Pager address={address} limit={limit} total={device.commands.totalCount} />
                </>
              )}
            </Section>
          </>
        );
      }}
    </Loading>
  );
}

const isMoving = ({ commands, state }: Commanded): boolean =>
  commands.items.some(isOpen) || state.some(({ settled }) => !settled);

const isOpen = ({ state }: Pick<CommandLineFragment, 'state'>): boolean => state === 'waiting' || state === 'handed';

const List = ({ of: { id, commands }, maySend, reload }: { of: Commanded; maySend: boolean; reload: () => void }) => {
  const cancel = async (command: CommandLineFragment) => {
    await ask(CancelCommandsDocument, { organizationId: organizationId.value, deviceId: id, ids: [command.id] });
    reload();
  };
  const columns: Column<CommandLineFragment>[] = [
    {
      title: 'Command',
      cell: (command) => (
        <>
          {command.name} <span class="quiet">{contentOf(command)}</span>
        </>
      ),
    },
    {
      title: 'State',
      cell: ({ state, code }) => (
        <>
          <Badge tone={tones[state]}>{words[state]}</Badge>
          {code !== null && <span class="quiet"> {reasonOf(code)}</span>}
        </>
      ),
    },
    {
      title: 'Sent',
      cell: ({ createdAt, sender }) => (
        <>
          <Ago at={secondsOf(createdAt)} />
          {sender !== null && <span class="quiet"> by {sender}</span>}
        </>
      ),
    },
    { title: 'Evidence', cell: (command) => <Evidence of={command} /> },
    {
      title: 'Change',
      cell: (command) =>
        maySend &&
        isOpen(command) && (
          <Action
            label="Cancel"
            title={`Cancel the command ${command.name}?`}
            action="Cancel the command"
            done="The command was cancelled."
            submit={() => cancel(command)}
          >
            <p>A device that has it already may still act on it; its answer will then show here.</p>
          </Action>
        ),
    },
  ];
  return <Table label="Commands" columns={columns} rows={commands.items} address={useAddress()} />;
};

/** The evidence as a line in time, ended by what is still open. */
const Evidence = ({ of: { evidence, state, expiresAt } }: { of: CommandLineFragment }) => (
  <ol class="evidence">
    {evidence.map(({ at, source, kind, code, detail }, index) => (
      <li key={index}>
        <time dateTime={at}>{formatTime(secondsOf(at))}</time> {sources[source]} {said[kind]}
        {code !== null && `, ${reasonOf(code)}`}
        {detail !== null && <code> {JSON.stringify(detail).slice(0, 200)}</code>}
      </li>
    ))}
    {(state === 'waiting' || state === 'handed') && <li class="quiet">until {formatTime(secondsOf(expiresAt))}</li>}
  </ol>
);

const words: Record<CommandLineFragment['state'], string> = {
  waiting: 'waits',
  handed: 'handed over',
  unknown: 'unknown: no answer came',
  expired: 'expired before anything took it',
  cancelled: 'cancelled',
  failed: 'failed',
  transmitted: 'sent over the air',
  received: 'received',
  answered: 'answered',
};

const tones: Record<CommandLineFragment['state'], 'good' | 'warn' | 'bad' | 'quiet'> = {
  waiting: 'quiet',
  handed: 'quiet',
  unknown: 'warn',
  expired: 'warn',
  cancelled: 'quiet',
  failed: 'bad',
  transmitted: 'good',
  received: 'good',
  answered: 'good',
};

const sources: Record<string, string> = { service: 'Service:', networkServer: 'Network server:', device: 'Device:' };

const said: Record<string, string> = {
  ...words,
  answered: 'answered',
  received: 'received it',
  unknown: 'no answer came',
  expired: 'expired',
  noted: 'noted',
};

/** Writes a code as words: `NO_ANSWER` as `no answer`. */
const reasonOf = (code: string): string => code.toLowerCase().replaceAll('_', ' ');

const contentOf = ({ parameters, payload, secret }: CommandLineFragment): string => {
  if (parameters !== null)
    return Object.entries(parameters as object)
      .map(([name, value]) => `${name} ${plain(value)}`)
      .join(', ');
  return payload ?? (secret ? '(secret)' : '');
};

function Send({ device, reload }: { device: Commanded; reload: () => void }) {
  const choices = (device.product?.settings.commands ?? []).map((each) => ({ ...each, label: each.name }));
  const send = async (form: FormData) => {
    const names = { organizationId: organizationId.value, deviceId: device.id };
    await ask(SendCommandDocument, { ...names, ...commandIn(form, chosenIn(choices, labelIn(form))) });
    reload();
  };
  return (
    <Action label="Send a command" action="Send" primary done="The command was sent." submit={send}>
      <CommandFields choices={choices} />
    </Action>
  );
}
