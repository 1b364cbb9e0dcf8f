import { useState } from 'preact/hooks';
import { DevicesDocument, type DevicesQuery } from '../../api/documents.js';
import { mayOwn, mayWrite, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { useNow } from '../../browser/use-now.js';
import { Ago } from '../../components/ago.js';
import { ExportButton } from '../../components/export-button.js';
import { JobProgress } from '../../components/job.js';
import { useListView } from '../../components/list-view.js';
import { Page } from '../../components/page.js';
import { Empty, Loading } from '../../components/state.js';
import { type Choice, type Column, Pager, Table } from '../../components/table.js';
import { said } from '../../format/look.js';
import { secondsOf } from '../../format/time.js';
import { BulkActions } from './bulk-actions.js';
import { matchingOf } from './filter.js';
import { Filters } from './filters.js';
import { FleetCommand } from './fleet-command.js';
import { ImportActions, ImportPanel } from './import.js';
import { RegisterDevice } from './register-device.js';

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
  {
    title: 'Tags',
    cell: ({ tags }) =>
      tags.map((tag) => (
        <span key={tag} class="tag">
          {tag}
        </span>
      )),
  },
  { title: 'Apps', sort: 'applicationCount', number: true, cell: ({ applicationCount }) => applicationCount },
  { title: 'Newest value', cell: newest },
  {
    title: 'Last heard',
    sort: 'lastRecordAt',
    cell: ({ lastRecordAt }) => (
      <span class="quiet nowrap">{lastRecordAt === null ? 'never' : <Ago at={secondsOf(lastRecordAt)} />}</span>
    ),
  },
];

/** Time of a value; of its arrival, if the clock of the device was ahead. */
const orderOf = ({ ts, ahead }: Device['latest'][number]): number => ts - (ahead ?? 0);

/** Shows the value that was measured last. Among several, it shows the variable that the product lists first. */
function newest({ latest, product }: Device) {
  const places = new Map(product?.variables.map(({ name }, index) => [name, index]));
  const place = ({ name }: { name: string }) => places.get(name) ?? places.size;
  const [first] = latest.toSorted((a, b) => orderOf(b) - orderOf(a) || place(a) - place(b));
  return first === undefined ? null : (
    <span class="nowrap">
      <span class="quiet">{first.name}</span>{' '}
      {said(first.value, product?.variables.find(({ name }) => name === first.name) ?? first)}
    </span>
  );
}

/** The actions of the page: exports, imports, and registering a device. */
function Actions({
  products,
  sent,
}: {
  products: NonNullable<DevicesQuery['products']>['items'];
  sent: (importId: string) => void;
}) {
  return (
    <>
      <ExportButton label="Download all as CSV" parameters={{ of: 'devices' }} />
      {mayOwn.value && (
        <>
          <ImportActions sent={sent} />
          <RegisterDevice products={products} />
        </>
      )}
    </>
  );
}

/** The list of the organization's devices in pages, with actions on many of them at once. */
export function DevicesScreen() {
  const address = useAddress();
  const now = useNow(60);
  const view = useListView('devices', columns);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState(false);
  const job = address.get('job');
  const imported = address.get('import');
  const matching = matchingOf(address, now);
  const devices = useQuery(DevicesDocument, {
    organizationId: organizationId.value,
    limit,
    page: Number(address.get('page')) || 1,
    sort: address.get('sort') || null,
    ...matching,
  });
  const forget = () => {
    setChosen(new Set());
    setAll(false);
  };
  return (
    <Page
      title="Devices"
      actions={
        devices.data !== undefined && (
          <Actions products={devices.data.products.items} sent={(importId) => address.set({ import: importId })} />
        )
      }
    >
      {imported !== '' && (
        <ImportPanel
          key={imported}
          importId={imported}
          changed={devices.reload}
          close={() => address.set({ import: '' })}
        />
      )}
      <Loading of={devices} rows={limit}>
        {(data) => {
          const { items, totalCount } = data.devices;
          const total = totalCount ?? items.length;
          const count = all ? total : chosen.size;
          const mayChoose = mayOwn.value || maySend(data);
          const acted = {
            target: all ? matching : { ids: [...chosen] },
            count,
            done: (job: string | undefined) => {
              forget();
              if (job !== undefined) address.set({ job });
              devices.reload();
            },
          };
          return (
            <>
              <Filters address={address} of={data}>
                {view.menus}
              </Filters>
              {mayChoose && items.length > 0 && (
                <div class="filters" role="group" aria-label="Chosen devices">
                  <span role="status">{count === 0 ? 'None chosen' : `${count.toLocaleString()} chosen`}</span>
                  {!all && total > chosen.size && (
                    <button type="button" onClick={() => setAll(true)}>
                      Choose all {total.toLocaleString()} that match
                    </button>
                  )}
                  {count > 0 && (
                    <>
                      <button type="button" onClick={forget}>
                        Choose none
                      </button>
                      <FleetCommand {...acted} />
                      <BulkActions {...acted} applications={data.applications.items} />
                    </>
                  )}
                </div>
              )}
              {job !== '' && <JobProgress jobId={job} ended={devices.reload} />}
              {items.length === 0 ? (
                <Empty title="No device matches">
                  <p>Change the filters, register a device, or import a fleet.</p>
                </Empty>
              ) : (
                <Table
                  label="Devices"
                  columns={view.columns}
                  rows={items}
                  address={address}
                  {...(mayChoose && { choice: choiceOf(chosen, all, setChosen, forget, items) })}
                  busy={devices.loading}
                />
              )}
              <Pager address={address} limit={limit} total={totalCount} />
            </>
          );
        }}
      </Loading>
    </Page>
  );
}

/**
 * Whether the caller may send commands to devices of the organization. The service decides for each device.
 */
const maySend = ({ applications }: Pick<DevicesQuery, 'applications'>): boolean =>
  mayWrite.value && (applications?.items ?? []).some(({ permission }) => permission === 'write');

/**
 * Returns the choice of rows, which is kept from page to page. Deselecting one row after all matching devices were
 * chosen resets the choice.
 */
const choiceOf = (
  chosen: ReadonlySet<string>,
  all: boolean,
  setChosen: (next: ReadonlySet<string>) => void,
  forget: () => void,
  rows: readonly Device[],
): Choice<Device> => ({
  nameOf: ({ name, serial }) => name ?? serial,
  has: (id) => all || chosen.has(id),
  toggle: (id, on) => (all ? forget() : setChosen(on ? new Set([...chosen, id]) : chosen.difference(new Set([id])))),
  toggleAll: (on) => {
    const page = new Set(rows.map(({ id }) => id));
    if (all) forget();
    else setChosen(on ? chosen.union(page) : chosen.difference(page));
  },
});
