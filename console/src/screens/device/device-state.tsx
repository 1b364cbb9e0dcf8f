import { SetDesiredStateDocument } from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import { useAddress } from '../../browser/address.js';
import { Action } from '../../components/action.js';
import { Ago } from '../../components/ago.js';
import { Badge } from '../../components/badge.js';
import { Section } from '../../components/page.js';
import { Empty } from '../../components/state.js';
import { type Column, Table } from '../../components/table.js';
import { secondsOf } from '../../format/time.js';
import { type Commanded, plain } from './commanded.js';
import { type Typed, TypedField, typedValue } from './typed-field.js';

/** The parts of a device's state: what each should be, and what the device reports. */
export function State({ device, maySet, reload }: { device: Commanded; maySet: boolean; reload: () => void }) {
  const address = useAddress();
  const declared = device.product?.settings.state ?? [];
  const known = new Map(device.state.map((part) => [part.name, part]));
  const parts = [
    ...declared,
    ...device.state.filter(({ name }) => !declared.some((one) => one.name === name)).map(undeclared),
  ];
  const set = (name: string, value: unknown) =>
    ask(SetDesiredStateDocument, {
      organizationId: organizationId.value,
      deviceId: device.id,
      desired: { [name]: value },
    }).then(reload);
  if (parts.length === 0)
    return (
      <Section title="State">
        <Empty title="No state">
          <p>The product declares no state, and the device reports none.</p>
        </Empty>
      </Section>
    );
  const columns: Column<Line>[] = [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Desired', cell: ({ now, unit }) => <Value of={now?.desired} unit={unit} at={now?.desiredAt} /> },
    { title: 'Reported', cell: ({ now, unit }) => <Value of={now?.reported} unit={unit} at={now?.reportedAt} /> },
    {
      title: 'Settled',
      cell: ({ now }) =>
        now?.desired != null &&
        (now.settled ? <Badge tone="good">settled</Badge> : <Badge tone="warn">waits for the device</Badge>),
    },
    {
      title: 'Change',
      cell: (line) =>
        maySet && (
          <Action
            label="Set"
            title={`Desired value of ${line.name}`}
            action="Set"
            done={`The desired value of ${line.name} was set.`}
            submit={(form) => set(line.name, typedValue(form, line))}
          >
            <TypedField of={line} value={line.now?.desired ?? line.now?.reported} />
          </Action>
        ),
    },
  ];
  const rows = parts.map((part) => ({ ...part, id: part.name, now: known.get(part.name) }));
  return (
    <Section title="State">
      <Table label="State" columns={columns} rows={rows} address={address} />
    </Section>
  );
}

/** A part of the state, as declared, with its values if it has any. */
interface Line extends Typed {
  readonly id: string;
  readonly now: Commanded['state'][number] | undefined;
}

const undeclared = ({ name, desired, reported }: Commanded['state'][number]): Typed => {
  const value: unknown = desired ?? reported;
  return {
    name,
    unit: null,
    type: typeof value === 'boolean' ? 'BOOL' : typeof value === 'number' ? 'FLOAT32' : 'TXT',
  };
};

const Value = ({ of, unit, at }: { of: unknown; unit: string | null; at: string | null | undefined }) => (
  <>
    {of == null ? '–' : `${plain(of)}${unit ? ` ${unit}` : ''}`}
    {at != null && (
      <span class="quiet">
        {' '}
        <Ago at={secondsOf(at)} />
      </span>
    )}
  </>
);
