import { useState } from 'preact/hooks';
import { useAddress } from '../address.js';
import { Page } from '../components/page.js';
import { Empty, Loading } from '../components/state.js';
import { type Choice, type Column, Pager, Table } from '../components/table.js';
import { DevicesDocument, type DevicesQuery } from '../documents.js';
import { organizationId } from '../session.js';
import { ago } from '../time.js';
import { useQuery } from '../use-query.js';
import { shown } from '../value.js';

type Device = NonNullable<DevicesQuery['devices']>['items'][number];

const limit = 25;

const columns: readonly Column<Device>[] = [
  {
    title: 'Device',
    sort: 'name',
    cell: ({ id, name, serial }) => <a href={`/console/devices/${id}`}>{name ?? serial}</a>,
  },
  { title: 'Serial', sort: 'serial', cell: ({ serial }) => <code>{serial}</code> },
  { title: 'Product', cell: ({ product }) => product?.name },
  { title: 'Tags', cell: ({ tags }) => tags.map((tag) => <span class="tag">{tag}</span>) },
  { title: 'Applications', sort: 'applicationCount', number: true, cell: ({ applicationCount }) => applicationCount },
  { title: 'Newest value', cell: ({ latest }) => newest(latest) },
];

const newest = (latest: Device['latest']) => {
  const [first] = latest.toSorted((a, b) => b.ts - a.ts);
  if (first === undefined) return <span class="quiet">never</span>;
  return (
    <>
      {first.name} {shown(first.value, first.unit)} <span class="quiet">{ago(first.ts)}</span>
    </>
  );
};

/** The devices of the organization, page by page. */
export function DevicesScreen() {
  const address = useAddress();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const devices = useQuery(DevicesDocument, {
    organizationId: organizationId.value,
    limit,
    page: Number(address.get('page')) || 1,
    sort: address.get('sort') || null,
    q: address.get('q') || null,
    productId: address.get('product') || null,
  });
  return (
    <Page title="Devices">
      <Loading of={devices} rows={limit}>
        {({ devices: { items, totalCount }, products }) => (
          <>
            <div class="filters">
              <input
                type="search"
                aria-label="Filter by serial or name"
                placeholder="Serial or name"
                value={address.get('q')}
                onChange={({ currentTarget }) => address.set({ q: currentTarget.value })}
              />
              <select
                aria-label="Product"
                value={address.get('product')}
                onChange={({ currentTarget }) => address.set({ product: currentTarget.value })}
              >
                <option value="">Every product</option>
                {products.items.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </div>
            {items.length === 0 ? (
              <Empty title="No device matches">
                <p>Change the filters, or register a device.</p>
              </Empty>
            ) : (
              <Table
                label="Devices"
                columns={columns}
                rows={items}
                address={address}
                choice={choiceOf(chosen, setChosen, items)}
                busy={devices.loading}
              />
            )}
            <Pager address={address} limit={limit} total={totalCount} />
          </>
        )}
      </Loading>
    </Page>
  );
}

/** A choice of rows that lasts over pages. */
const choiceOf = (
  chosen: ReadonlySet<string>,
  setChosen: (next: ReadonlySet<string>) => void,
  rows: readonly { id: string }[],
): Choice => ({
  has: (id) => chosen.has(id),
  toggle: (id, on) => setChosen(on ? new Set([...chosen, id]) : chosen.difference(new Set([id]))),
  toggleAll: (on) => {
    const page = new Set(rows.map(({ id }) => id));
    setChosen(on ? chosen.union(page) : chosen.difference(page));
  },
});
