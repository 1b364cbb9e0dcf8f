import { useState } from 'preact/hooks';
import { AuditDocument } from '../../api/documents.js';
import { isOwner, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { Section } from '../../components/page.js';
import { Empty, Loading } from '../../components/state.js';
import { Table } from '../../components/table.js';
import { historyColumns } from './columns.js';

const limit = 10;

/** Shows owners the events of a thing, by default on demand. */
export const History = ({ of, isOpen: opens = false }: { of: string; isOpen?: boolean }) => {
  const [isOpen, setOpen] = useState(opens);
  if (!isOwner.value) return null;
  return (
    <Section
      title="History"
      actions={
        isOpen ? (
          <a href={`/console/audit?target=${of}`}>Show all</a>
        ) : (
          <button type="button" onClick={() => setOpen(true)}>
            Show who changed it
          </button>
        )
      }
    >
      {isOpen && <Events of={of} />}
    </Section>
  );
};

const Events = ({ of }: { of: string }) => {
  const address = useAddress();
  const events = useQuery(AuditDocument, {
    organizationId: organizationId.value,
    filter: { target: of },
    limit,
    page: 1,
  });
  return (
    <Loading of={events} rows={4}>
      {({ auditEvents: { items } }) =>
        items.length === 0 ? (
          <Empty title="No event about it is stored" />
        ) : (
          <Table label="History" columns={historyColumns} rows={items} address={address} />
        )
      }
    </Loading>
  );
};
