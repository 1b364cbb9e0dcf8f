import { useState } from 'preact/hooks';
import { mayOwn, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { Section } from '../../components/page.js';
import { Loading } from '../../components/state.js';
import { type Column, Table } from '../../components/table.js';
import { formatTime } from '../../format/time.js';
import { RemoveVersion } from './attribute-actions.js';
import { type AttributeOwner, documents } from './documents.js';
import { shownValue, typeOf } from './value.js';

/** Number of values that the service answers at most. */
const limit = 100;

interface Version {
  readonly id: string;
  readonly value: unknown;
  readonly validFrom: number;
  /** Time of the next value; undefined for the newest. */
  readonly until: number | undefined;
}

/** The values of an attribute over time, the newest first. */
export function Versions({
  of,
  name,
  reload,
  close,
}: {
  of: AttributeOwner;
  name: string;
  reload: () => void;
  close: () => void;
}) {
  const address = useAddress();
  const [before, setBefore] = useState<number | null>(null);
  const found = useQuery(documents[of.kind].versions, {
    organizationId: organizationId.value,
    id: of.id,
    name,
    before,
  });
  const columns: Column<Version>[] = [
    { title: 'Value', cell: ({ value }) => shownValue(value) },
    { title: 'Type', cell: ({ value }) => value !== null && typeOf(value) },
    { title: 'From', cell: ({ validFrom }) => formatTime(validFrom) },
    { title: 'Until', cell: ({ until }) => (until === undefined ? '' : formatTime(until)) },
    ...(mayOwn.value
      ? [
          {
            title: 'Change',
            cell: ({ validFrom }: Version) => (
              <RemoveVersion of={of} name={name} validFrom={validFrom} reload={reload} />
            ),
          },
        ]
      : []),
  ];
  return (
    <Section
      title={`History of ${name}`}
      actions={
        <button type="button" onClick={close}>
          Close
        </button>
      }
    >
      <Loading of={found} rows={3}>
        {({ owner }) => {
          const { attributeVersions } = owner;
          const rows = attributeVersions.map(
            ({ value, validFrom }, index): Version => ({
              id: String(validFrom),
              value,
              validFrom,
              until: attributeVersions[index - 1]?.validFrom ?? before ?? undefined,
            }),
          );
          return (
            <>
              <Table label={`History of ${name}`} columns={columns} rows={rows} address={address} />
              <p class="actions">
                {before !== null && (
                  <button type="button" onClick={() => setBefore(null)}>
                    Newest
                  </button>
                )}
                {rows.length === limit && (
                  <button type="button" onClick={() => setBefore(rows.at(-1)!.validFrom)}>
                    Earlier
                  </button>
                )}
              </p>
            </>
          );
        }}
      </Loading>
    </Section>
  );
}
