import type { DeclaredCommandFragment, StreamType, VariableType } from '../../api/documents.js';
import { mayOwn } from '../../api/session.js';
import { textOf } from '../../browser/form.js';
import { Action } from '../../components/action.js';
import { Field } from '../../components/dialog.js';
import { Section } from '../../components/page.js';
import { Empty } from '../../components/state.js';
import { TableFrame } from '../../components/table-frame.js';
import { type Product, putSettings } from './settings.js';

/** Commands that devices of the product understand, and the parts of their state, which owners edit. */
export const DeclaredCommands = ({ product, reload }: { product: Product; reload: () => void }) => {
  const { commands, state } = product.settings;
  const put: Put = async (changes) => {
    await putSettings(product, changes);
    reload();
  };
  return (
    <Section
      title="Commands and state"
      actions={
        mayOwn.value && (
          <>
            <Action
              label="Edit the state"
              title="State of devices"
              action="Save"
              done="The state was saved."
              submit={(form) => put({ state: typedNames(textOf(form, 'state')) })}
            >
              <Field label="Parts" hint="One in each line: name, type, unit. Example: setPoint FLOAT32 °C">
                <textarea name="state" rows={6} defaultValue={textOfNames(state)} />
              </Field>
            </Action>
            <Action
              label="Declare a command"
              action="Save"
              done="The command was declared."
              submit={(form) => put({ commands: [...commands, commandIn(form)] })}
            >
              <CommandFields />
            </Action>
          </>
        )
      }
    >
      {commands.length === 0 ? (
        <Empty title="No command declared">
          <p>Declare what devices understand, and people send it by a form. Devices also take raw bytes.</p>
        </Empty>
      ) : (
        <CommandTable product={product} put={put} />
      )}
      {state.length > 0 && (
        <p class="quiet">
          State: {state.map(({ name, type, unit }) => `${name} (${type}${unit ? `, ${unit}` : ''})`).join(', ')}
        </p>
      )}
    </Section>
  );
};

type Put = (changes: Parameters<typeof putSettings>[1]) => Promise<void>;

const CommandTable = ({ product: { settings }, put }: { product: Product; put: Put }) => {
  const { commands } = settings;
  return (
    <TableFrame label="Commands">
      <table aria-label="Commands">
        <thead>
          <tr>
            <th>Command</th>
            <th>Parameters</th>
            <th>Bytes</th>
            <th>Kind</th>
            {mayOwn.value && <th class="number">Change</th>}
          </tr>
        </thead>
        <tbody>
          {commands.map((command) => (
            <tr key={command.name}>
              <td>{command.name}</td>
              <td>
                {command.parameters
                  .map(({ name, type, unit }) => `${name} ${type}${unit ? ` ${unit}` : ''}`)
                  .join(', ')}
              </td>
              <td>{command.streamType === null ? 'by name' : `stream ${command.streamId}, ${command.streamType}`}</td>
              <td>{[command.confirmed && 'confirmed', command.secret && 'secret'].filter(Boolean).join(', ')}</td>
              {mayOwn.value && (
                <td class="number">
                  <Action
                    label="Edit"
                    title={`Command ${command.name}`}
                    action="Save"
                    done="The command was saved."
                    submit={(form) =>
                      put({ commands: commands.map((each) => (each === command ? commandIn(form) : each)) })
                    }
                  >
                    <CommandFields of={command} />
                  </Action>{' '}
                  <Action
                    label="Remove"
                    title={`Remove the command ${command.name}?`}
                    action="Remove"
                    danger
                    done="The command was removed."
                    submit={() => put({ commands: commands.filter((each) => each !== command) })}
                  >
                    <p>Commands that were sent stay. Nobody can send this one until it is declared again.</p>
                  </Action>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
};

const CommandFields = ({ of }: { of?: DeclaredCommandFragment }) => (
  <>
    <Field label="Name">
      <input name="name" required maxLength={100} defaultValue={of?.name} />
    </Field>
    <Field label="Parameters" hint="One in each line: name, type, unit. Example: celsius FLOAT32 °C">
      <textarea name="parameters" rows={4} defaultValue={textOfNames(of?.parameters ?? [])} />
    </Field>
    <div class="beside">
      <Field label="Stream" hint="LoRaWAN: port. Empty: devices take the parameters by name.">
        <input name="streamId" type="number" min={0} max={255} defaultValue={`${of?.streamId ?? ''}`} />
      </Field>
      <Field label="Layout">
        <select name="streamType" defaultValue={of?.streamType ?? ''}>
          <option value="">none</option>
          {['BIN', 'RAW', 'TXT'].map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
      </Field>
    </div>
    <label class="check">
      <input type="checkbox" name="confirmed" defaultChecked={of?.confirmed ?? false} /> The network asks the device to
      confirm it
    </label>
    <label class="check">
      <input type="checkbox" name="secret" defaultChecked={of?.secret ?? false} /> Secret: only those who may send it
      see its content
    </label>
  </>
);

const commandIn = (form: FormData): DeclaredCommandFragment => ({
  name: textOf(form, 'name'),
  parameters: typedNames(textOf(form, 'parameters')),
  streamId: textOf(form, 'streamId') === '' ? null : Number(textOf(form, 'streamId')),
  streamType: (textOf(form, 'streamType') || null) as StreamType | null,
  confirmed: form.get('confirmed') !== null,
  secret: form.get('secret') !== null,
});

interface TypedName {
  name: string;
  type: VariableType;
  unit: string | null;
}

/** Reads lines of a name, a type and a unit. The service checks the type. */
const typedNames = (text: string): TypedName[] =>
  text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([name]) => name !== '')
    .map(([name, type, ...unit]) => ({
      name: name!,
      type: (type ?? 'FLOAT32').toUpperCase() as VariableType,
      unit: unit.join(' ') || null,
    }));

const textOfNames = (list: readonly { name: string; type: string; unit: string | null }[]): string =>
  list.map(({ name, type, unit }) => [name, type, unit].filter((part) => part !== null).join(' ')).join('\n');
