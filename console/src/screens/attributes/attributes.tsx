import { useState } from 'preact/hooks';
import type { AttributeLineFragment } from '../../api/documents.js';
import { mayOwn, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { Section } from '../../components/page.js';
import { Empty, Loading } from '../../components/state.js';
import { type Column, Table } from '../../components/table.js';
import { formatTime } from '../../format/time.js';
import { RemoveAttribute, SetAttribute } from './attribute-actions.js';
import { type AttributeOwner, documents } from './documents.js';
import { shownValue, typeOf } from './value.js';
import { Versions } from './versions.js';

/** An attribute by its name. It has no value if none holds now. */
interface Line {
  readonly id: string;
  readonly now: AttributeLineFragment | undefined;
}

/** The attributes of a device or a site: those that hold now, and those that ended or are yet to hold. */
export function Attributes({ of }: { of: AttributeOwner }) {
  const address = useAddress();
  const [chosen, setChosen] = useState<string | undefined>();
  const [changes, setChanges] = useState(0);
  const found = useQuery(documents[of.kind].list, { organizationId: organizationId.value, id: of.id });
  const reload = () => {
    found.reload();
    setChanges((count) => count + 1);
  };
  return (
    <Section title="Attributes" actions={mayOwn.value && <SetAttribute of={of} reload={reload} />}>
      <Loading of={found} rows={4}>
        {({ owner }) => {
          const { attributes, attributeNames } = owner;
          const held = new Map(attributes.map((each) => [each.name, each]));
          const rows = attributeNames.map((name) => ({ id: name, now: held.get(name) }));
          const columns = columnsOf(of, reload, chosen, setChosen);
          if (rows.length === 0)
            return (
              <Empty title="No attribute">
                <p>
                  Owners give a {of.kind} values by name, such as an offset, a line or a limit, each from a time on.
                  {of.kind === 'device' && ' Formulas, searches, hooks and alert rules read them.'}
                </p>
              </Empty>
            );
          return (
            <>
              <Table label="Attributes" columns={columns} rows={rows} address={address} />
              {chosen !== undefined && attributeNames.includes(chosen) && (
                <Versions
                  key={`${chosen} ${changes}`}
                  of={of}
                  name={chosen}
                  reload={reload}
                  close={() => setChosen(undefined)}
                />
              )}
            </>
          );
        }}
      </Loading>
    </Section>
  );
}

const columnsOf = (
  of: AttributeOwner,
  reload: () => void,
  chosen: string | undefined,
  choose: (name: string | undefined) => void,
): Column<Line>[] => [
  { title: 'Name', cell: ({ id }) => <code>{id}</code> },
  {
    title: 'Value',
    cell: ({ now }) => (now === undefined ? <span class="quiet">none now</span> : shownValue(now.value)),
  },
  { title: 'Type', cell: ({ now }) => now && typeOf(now.value) },
  { title: 'Since', cell: ({ now }) => now && formatTime(now.validFrom) },
  {
    title: 'Values over time',
    cell: ({ id }) => (
      <button type="button" aria-pressed={chosen === id} onClick={() => choose(chosen === id ? undefined : id)}>
        History<span class="visually-hidden"> of {id}</span>
      </button>
    ),
  },
  ...(mayOwn.value
    ? [
        {
          title: 'Change',
          cell: ({ id, now }: Line) => (
            <span class="actions">
              <SetAttribute of={of} name={id} value={now?.value} reload={reload} />
              <RemoveAttribute of={of} name={id} holds={now !== undefined} reload={reload} />
            </span>
          ),
        },
      ]
    : []),
];
